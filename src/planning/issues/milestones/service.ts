import type { SignedInActor } from '../../../access/actor.ts';
import type { ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { requireMilestone } from '../../milestones/public.ts';
import { issueScope } from '../lists/browse.ts';
import { presentIssues } from '../present.ts';
import type { IssueBasicEntity } from '../schema.ts';
import { burndownList, milestoneIssueList } from './list.ts';
import type { BurndownEventEntity } from './schema.ts';

async function scopeOf(services: Services, caller: SignedInActor, place: ProjectOrGroup, id: number) {
  const milestone = await requireMilestone(services, place, id);
  return { ...issueScope(caller, place), milestone: milestone.id };
}

/** Returns a page of the milestone's issues that the caller may read. */
export async function listMilestoneIssues(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  page: PageRequest,
): Promise<Page<IssueBasicEntity>> {
  const scope = await scopeOf(services, caller, place, id);
  const order = { by: 'label_priority', direction: 'asc' } as const;
  const { rows, total } = await milestoneIssueList.page(services.db.read, scope, {}, order, page);
  return new Page(await presentIssues(services, caller, rows, { within: null }), total);
}

/** Returns a page of the burndown chart events of a milestone. */
export async function listBurndownEvents(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  page: PageRequest,
): Promise<Page<BurndownEventEntity>> {
  const scope = await scopeOf(services, caller, place, id);
  const { rows, total } = await burndownList.page(
    services.db.read,
    scope,
    {},
    { by: 'created_at', direction: 'asc' },
    page,
  );
  const events = rows.map(({ created_at, weight, action }) => ({
    created_at: instant(created_at),
    weight: weight ?? 0,
    action,
  }));
  return new Page(events, total);
}
