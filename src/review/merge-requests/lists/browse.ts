import type { Actor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { viewerOf } from '../../../access/visible.ts';
import { Unauthorized } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { presentRequests, presentSimply, type RequestView } from '../present.ts';
import type { BasicEntity, SimpleEntity } from '../schema.ts';
import { type RequestScope, requestList } from './list.ts';
import type { RequestListParams } from './schema.ts';

/** Where a list looks: in a project, in a group with all that is below it, or everywhere. */
export function requestScope(caller: Actor, place: ProjectOrGroup | null): RequestScope {
  const viewer = viewerOf(caller);
  const today = instant(viewer.now).slice(0, 10);
  if (place === null) return { ...viewer, within: 'all', today };
  if (!isProject(place)) return { ...viewer, within: 'group', group: place.group.id, today };
  return { ...viewer, within: 'project', project: place.project.id, today };
}

function viewOf(place: ProjectOrGroup | null, params: RequestListParams): RequestView {
  const labelsInDetail = params.with_labels_details;
  const project = place !== null && isProject(place) ? place : undefined;
  const html = params.render_html ? { subject: project } : undefined;
  if (place === null) return { within: null, labelsInDetail, html };
  const within = isProject(place) ? { projectId: place.project.id } : { groupPath: place.group.full_path };
  return { within, labelsInDetail, html };
}

/** A page of the merge requests that the caller may read. */
export async function listRequests(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup | null,
  params: RequestListParams,
  page: PageRequest,
): Promise<Page<BasicEntity | SimpleEntity>> {
  // Nobody is the author or assignee of anything: without a user only everything can be asked for.
  if (caller.user === null && params.scope !== undefined && params.scope !== 'all') throw new Unauthorized();
  const {
    order_by: by,
    sort: direction,
    view,
    with_labels_details,
    with_merge_status_recheck,
    render_html,
    approved,
    ...filters
  } = params;
  const { rows, total } = await requestList.page(
    services.db.read,
    requestScope(caller, place),
    filters,
    { by, direction },
    page,
  );
  if (view === 'simple') return new Page(await presentSimply(services, rows), total);
  return new Page(await presentRequests(services, caller, rows, viewOf(place, params)), total);
}
