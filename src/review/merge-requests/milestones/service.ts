import type { SignedInActor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { requireMilestone } from '../../../planning/milestones/public.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { requestScope } from '../lists/browse.ts';
import { presentRequests } from '../present.ts';
import type { BasicEntity } from '../schema.ts';
import { milestoneRequestList } from './list.ts';

/** Returns a page of the milestone's merge requests that the caller may read. */
export async function listMilestoneRequests(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  page: PageRequest,
): Promise<Page<BasicEntity>> {
  const milestone = await requireMilestone(services, place, id);
  if (isProject(place) && !place.can('read_merge_request')) return new Page([], 0);
  const scope = { ...requestScope(caller, place), milestone: milestone.id };
  const order = { by: 'label_priority', direction: 'asc' } as const;
  const { rows, total } = await milestoneRequestList.page(services.db.read, scope, {}, order, page);
  return new Page(await presentRequests(services, caller, rows, { within: null }), total);
}
