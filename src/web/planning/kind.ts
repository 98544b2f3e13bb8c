import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';

/** What is discussed on a page of its own. */
export type Kind = 'issues' | 'merge_requests';

/** Whether the reader may set people, labels, dates and times; which buttons are worth showing, and nothing else. */
export const mayPlan = ({ visit, project }: ProjectContext, kind: Kind): boolean =>
  !project.archived && roleInProject(visit, project) >= (kind === 'issues' ? 15 : 30);

/** The one that an address names: in the API, and as a page. */
export const placeOf = ({ visit, api, home }: ProjectContext, kind: Kind) => ({
  url: `${api}/${kind}/${visit.params.iid}`,
  page: `${home}/-/${kind}/${visit.params.iid}`,
});
