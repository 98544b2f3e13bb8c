import type { ProjectContext } from '../namespaces/project.ts';

const settings = { issues: 'issues_template', merge_requests: 'merge_requests_template' } as const;

/**
 * Returns the description template of a new issue or merge request: from the settings, or the default template file.
 */
export async function firstDescription(
  { visit, api, project }: ProjectContext,
  kind: keyof typeof settings,
): Promise<string> {
  const text = project[settings[kind]];
  if (typeof text === 'string' && text !== '') return text;
  return (await visit.api.maybe(`${api}/templates/${kind}/Default`))?.content ?? '';
}
