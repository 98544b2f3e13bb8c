import type { Actor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { Unauthorized } from '../../../platform/http/errors.ts';
import { cursorPage } from '../../../platform/http/pages/cursor.ts';
import { type KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import { type IssueView, presentIssues } from '../present.ts';
import type { IssueEntity, IssueListParams } from '../schema.ts';
import type { IssueRow } from '../tables.ts';
import { issueList } from './list.ts';
import { issueLabels } from './list-filters.ts';
import { type IssueScope, splitByConfidentiality, splitByProject } from './list-scope.ts';

/** The scope of an issue list: one project, a group with its subgroups, or all readable projects. */
export function issueScope(caller: Actor, place: ProjectOrGroup | null): IssueScope {
  const viewer = viewerOf(caller);
  const today = instant(viewer.now).slice(0, 10);
  if (place === null) return { ...viewer, within: 'all', confidential: false, today };
  if (!isProject(place)) return { ...viewer, within: 'group', group: place.group.id, confidential: false, today };
  const confidential = place.can('read_confidential_issue');
  return { ...viewer, within: 'project', project: place.project.id, confidential, today };
}

/** A project is queried as its non-confidential issues plus the caller's own, a group project by project. */
function issueWays({ db }: Services, whole: IssueScope): IssueScope | ReadStrategies<IssueScope> {
  if (whole.within === 'all' || whole.confidential) return whole;
  if (whole.within === 'project')
    return { whole, walked: async () => ({ scopes: splitByConfidentiality(whole), few: false }) };
  return { whole, walked: async () => ({ scopes: await splitByProject(db.read, whole), few: false }) };
}

/** Resolves label titles, which determine how the query is planned. */
async function withKnownLabels<P extends Pick<IssueListParams, 'labels' | 'not'>>(
  services: Services,
  scope: IssueScope,
  sent: P,
): Promise<{ scope: IssueScope | ReadStrategies<IssueScope>; filters: P }> {
  const { params: filters, known } = await issueLabels.resolveLabelTitles(services.db.read, scope, sent);
  return { scope: issueWays(services, { ...scope, ...known }), filters };
}

function viewOf(place: ProjectOrGroup | null, labelsInDetail: boolean): IssueView {
  if (place === null) return { within: null, labelsInDetail };
  const within = isProject(place)
    ? { projectId: place.project.id, path: place.fullPath }
    : { groupPath: place.group.full_path };
  return { within, labelsInDetail };
}

/** Scopes other than `all` refer to the current user and so need authentication. */
function checkCaller(caller: Actor, { scope }: IssueListParams): void {
  if (caller.user === null && scope !== undefined && scope !== 'all') throw new Unauthorized();
}

/** Returns a page of the issues that the caller may read. */
export async function listIssues(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup | null,
  params: IssueListParams,
  page: PageRequest,
): Promise<Page<IssueEntity> | KeysetPage<IssueEntity>> {
  checkCaller(caller, params);
  const { order_by: by, sort: direction, with_labels_details, non_archived, pagination, cursor, ...sent } = params;
  const { read } = services.db;
  const { scope, filters } = await withKnownLabels(
    services,
    { ...issueScope(caller, place), unarchived: non_archived },
    sent,
  );
  const view = viewOf(place, with_labels_details);
  const present = (rows: readonly IssueRow[]) => presentIssues(services, caller, rows, view);
  // Like GitLab, pages by number in the orders without a keyset.
  const order = pagination === 'keyset' ? issueList.keyset({ by, direction }) : undefined;
  if (order) {
    const found = await cursorPage(order, cursor, (position) =>
      issueList.walk(read, scope, filters, order, position, page.perPage),
    );
    const entities = await present(found.items);
    let index = 0;
    return found.map(() => entities[index++] as IssueEntity);
  }
  const { rows, total } = await issueList.page(read, scope, filters, { by, direction }, page);
  return new Page(await present(rows), total);
}

/** Counts the issues by state. */
export async function issueStatistics(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup | null,
  params: IssueListParams,
) {
  checkCaller(caller, params);
  const { order_by, sort, with_labels_details, non_archived, pagination, cursor, state, ...sent } = params;
  const { read } = services.db;
  const { scope, filters } = await withKnownLabels(
    services,
    { ...issueScope(caller, place), unarchived: non_archived },
    sent,
  );
  const [opened, closed] = await Promise.all([
    issueList.count(read, scope, { ...filters, state: 'opened' }, 'all'),
    issueList.count(read, scope, { ...filters, state: 'closed' }, 'all'),
  ]);
  return { statistics: { counts: { all: opened + closed, closed, opened } } };
}
