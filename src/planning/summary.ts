import type { Services } from '../access/services.ts';
import { basicUsers } from '../people/users/public.ts';
import { milestonesById } from './milestones/public.ts';

/** Attributes of an item that its summary is made of. */
export interface Summarized {
  readonly id: number;
  readonly assigneeIds: readonly number[];
  readonly milestone_id: number | null;
  readonly health_status?: string | null;
}

/** Maximum number of assignees named. */
const maxNames = 2;

const healths: Readonly<Record<string, string>> = {
  on_track: 'On track',
  needs_attention: 'Needs attention',
  at_risk: 'At risk',
};

/** Short planning summaries by item ID: `Ann, Bob+ • v1.0 • On track`. */
export async function summariesOf(
  { db, externalUrl }: Services,
  items: readonly Summarized[],
): Promise<ReadonlyMap<number, string>> {
  if (items.length === 0) return new Map();
  const [users, milestones] = await Promise.all([
    basicUsers(
      db.read,
      items.flatMap(({ assigneeIds }) => assigneeIds.slice(0, maxNames)),
      externalUrl,
    ),
    milestonesById(
      db.read,
      items.map(({ milestone_id }) => milestone_id),
    ),
  ]);
  return new Map(
    items.map(({ id, assigneeIds, milestone_id, health_status }) => {
      const names = assigneeIds.slice(0, maxNames).flatMap((one) => users.get(one)?.name ?? []);
      const people = names.length === 0 ? 'Unassigned' : names.join(', ') + (assigneeIds.length > maxNames ? '+' : '');
      const milestone = milestone_id === null ? undefined : milestones.get(milestone_id)?.title;
      const health = health_status ? healths[health_status] : undefined;
      return [id, [people, milestone, health].filter((part) => part !== undefined).join(' • ')];
    }),
  );
}
