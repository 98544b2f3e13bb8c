import { ciTemplate } from './ci-templates.ts';

/** Which pipelines there are at all: what a configuration includes beside its own jobs. */
const workflows: Readonly<Record<string, readonly string[]>> = {
  'Workflows/Branch-Pipelines': ['$CI_COMMIT_TAG', '$CI_COMMIT_BRANCH'],
  'Workflows/MergeRequest-Pipelines': [
    '$CI_MERGE_REQUEST_IID',
    '$CI_COMMIT_TAG',
    '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
  ],
};

/** The template that a configuration includes by the name of its file; undefined where there is none of that name. */
export function includedTemplate(file: string): string | undefined {
  const name = /^(.+)\.gitlab-ci\.yml$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  const conditions = Object.hasOwn(workflows, name) ? workflows[name] : undefined;
  if (!conditions) return ciTemplate(name);
  return `workflow:\n  rules:\n${conditions.map((condition) => `    - if: ${condition}\n`).join('')}`;
}
