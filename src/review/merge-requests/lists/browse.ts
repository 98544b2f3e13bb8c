import type { Actor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { requireDeployment } from '../../../ci/environments/public.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { Unauthorized } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import { enqueueRefresh } from '../follow/refresh-queue.ts';
import { presentRequests, presentSimple, type RequestView } from '../present.ts';
import type { BasicEntity, SimpleEntity } from '../schema.ts';
import type { MergeRequestRow } from '../tables.ts';
import { requestList } from './list.ts';
import { requestLabels } from './list-filters.ts';
import { type RequestScope, splitByProject } from './list-scope.ts';
import type { RequestListParams } from './schema.ts';

/** The scope of a merge request list: one project, a group with its subgroups, or all readable projects. */
export function requestScope(caller: Actor, place: ProjectOrGroup | null): RequestScope {
  const viewer = viewerOf(caller);
  const today = instant(viewer.now).slice(0, 10);
  if (place === null) return { ...viewer, within: 'all', today };
  if (!isProject(place)) return { ...viewer, within: 'group', group: place.group.id, today };
  return { ...viewer, within: 'project', project: place.project.id, today };
}

/** A project is queried as a whole, a group project by project. */
function requestWays({ db }: Services, whole: RequestScope): RequestScope | ReadStrategies<RequestScope> {
  if (whole.within !== 'group') return whole;
  return { whole, walked: async () => ({ scopes: await splitByProject(db.read, whole), few: false }) };
}

function viewOf(place: ProjectOrGroup | null, params: RequestListParams): RequestView {
  const labelsInDetail = params.with_labels_details;
  const project = place !== null && isProject(place) ? place : undefined;
  const html = params.render_html ? { subject: project } : undefined;
  if (place === null) return { within: null, labelsInDetail, html };
  const within = isProject(place) ? { projectId: place.project.id } : { groupPath: place.group.full_path };
  return { within, labelsInDetail, html };
}

/** Rewrites "no reaction by the caller" as the negation of "any reaction": the latter are few and cheap to count. */
function reactedToOrNot<F extends Pick<RequestListParams, 'my_reaction_emoji' | 'not'>>(filters: F): F {
  const { my_reaction_emoji: emoji, not } = filters;
  if (emoji !== 'None' || not?.my_reaction_emoji !== undefined) return filters;
  return { ...filters, my_reaction_emoji: undefined, not: { ...not, my_reaction_emoji: 'Any' } };
}

/** Returns a page of the merge requests that the caller may read. */
export async function listRequests(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup | null,
  params: RequestListParams,
  page: PageRequest,
  deployment?: number,
): Promise<Page<BasicEntity | SimpleEntity>> {
  // Scopes other than `all` refer to the current user and so need authentication.
  if (caller.user === null && params.scope !== undefined && params.scope !== 'all') throw new Unauthorized();
  const {
    order_by: by,
    sort: direction,
    view,
    with_labels_details,
    with_merge_status_recheck,
    render_html,
    approved,
    non_archived: unarchived,
    ...asked
  } = params;
  const { read } = services.db;
  const scope = { ...requestScope(caller, place), deployment, unarchived };
  const { params: filters, known } = await requestLabels.resolveLabelTitles(read, scope, reactedToOrNot(asked));
  const ways = requestWays(services, { ...scope, ...known });
  const { rows, total } = await requestList.page(read, ways, filters, { by, direction }, page);
  if (with_merge_status_recheck) await recheck(services, caller, rows);
  if (view === 'simple') return new Page(await presentSimple(services, rows), total);
  return new Page(await presentRequests(services, caller, rows, viewOf(place, params)), total);
}

/** Returns a page of the merge requests of a deployment. */
export async function listDeployedRequests(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { id: _, deployment_id, ...params }: RequestListParams & { readonly id: string; readonly deployment_id: number },
  page: PageRequest,
): Promise<Page<BasicEntity | SimpleEntity>> {
  const { id } = await requireDeployment(services, subject, deployment_id);
  // Access to the environment does not imply access to merge requests.
  return subject.can('read_merge_request')
    ? listRequests(services, caller, subject, params, page, id)
    : new Page([], 0);
}

/** Enqueues a mergeability check for listed merge requests whose branches have moved and that the caller may update. */
async function recheck(services: Services, caller: Actor, rows: readonly MergeRequestRow[]): Promise<void> {
  const stale = rows.filter(
    ({ state, merge_status }) =>
      state === 'opened' && (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck'),
  );
  if (caller.user === null || stale.length === 0) return;
  const { read } = services.db;
  const projects = await findProjects(read, [...new Set(stale.map(({ project_id }) => project_id))]);
  const updatableProjects = new Set(
    (await subjectsOf(read, caller, projects))
      .filter((subject) => subject.can('admin_merge_request'))
      .map(({ project }) => project.id),
  );
  await services.db.write(async (trx) => {
    for (const { id, project_id } of stale)
      if (updatableProjects.has(project_id)) await enqueueRefresh(services, trx, id);
  });
}
