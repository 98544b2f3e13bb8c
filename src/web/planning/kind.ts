import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';

/** Items with their own discussion page. */
export type Kind = 'issues' | 'merge_requests';

/** Whether the user can set assignees, labels, dates and times; determines which buttons are shown. */
export const mayPlan = ({ visit, project }: ProjectContext, kind: Kind): boolean =>
  !project.archived && roleInProject(visit, project) >= (kind === 'issues' ? 15 : 30);

/** API path and page URL of the item. */
export const noteablePaths = ({ visit, api, home }: ProjectContext, kind: Kind) => ({
  url: `${api}/${kind}/${visit.params.iid}`,
  page: `${home}/-/${kind}/${visit.params.iid}`,
});
