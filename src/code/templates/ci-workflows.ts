import { ciTemplate } from './ci-templates.ts';

/** Conditions of the `workflow` templates, which decide whether pipelines are created. */
const workflows: Readonly<Record<string, readonly string[]>> = {
  'Workflows/Branch-Pipelines': ['$CI_COMMIT_TAG', '$CI_COMMIT_BRANCH'],
  'Workflows/MergeRequest-Pipelines': [
    '$CI_MERGE_REQUEST_IID',
    '$CI_COMMIT_TAG',
    '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
  ],
};

/** Returns the template for an `include:template` file name; undefined if there is none. */
export function includedTemplate(file: string): string | undefined {
  const name = /^(.+)\.gitlab-ci\.yml$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  const conditions = Object.hasOwn(workflows, name) ? workflows[name] : undefined;
  if (!conditions) return ciTemplate(name);
  return `workflow:\n  rules:\n${conditions.map((condition) => `    - if: ${condition}\n`).join('')}`;
}
