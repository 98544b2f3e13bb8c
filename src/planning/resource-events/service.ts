import type { Services } from '../../access/services.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { instant } from '../../platform/http/schema.ts';
import { labelsById, textColor } from '../labels/public.ts';
import { milestonesById, presentMilestone } from '../milestones/public.ts';
import type { Target } from '../target.ts';
import { type EventRows, eventsOf, findEvent } from './read-store.ts';
import type { EventEntities, EventKind } from './schema.ts';
import type { LabelEventRow, MilestoneEventRow, StateEventRow, WeightEventRow } from './tables.ts';

type Row = LabelEventRow | StateEventRow | MilestoneEventRow | WeightEventRow;
type Users = ReadonlyMap<number, BasicUserEntity>;

const common = ({ id, user_id, created_at }: Row, users: Users) => ({
  id,
  user: users.get(user_id) ?? null,
  created_at: instant(created_at),
});
const resource = ({ target_type, target_id }: Row) => ({ resource_type: target_type, resource_id: target_id });

type Presenters = {
  readonly [K in EventKind]: (
    services: Services,
    rows: readonly EventRows[K][],
    users: Users,
  ) => Promise<EventEntities[K][]>;
};

const presenters: Presenters = {
  label: async ({ db }, rows, users) => {
    const found = await labelsById(
      db.read,
      rows.flatMap(({ label_id }) => label_id ?? []),
    );
    const labels = new Map(found.map((label) => [label.id, label]));
    return rows.map((row) => {
      const label = row.label_id === null ? undefined : labels.get(row.label_id);
      return {
        ...common(row, users),
        ...resource(row),
        label: label
          ? {
              id: label.id,
              name: label.title,
              description: label.description,
              description_html: escapeHtml(label.description ?? ''),
              text_color: textColor(label.color),
              color: label.color,
            }
          : null,
        action: row.action,
      };
    });
  },
  state: async (_services, rows, users) =>
    rows.map((row) => ({
      ...common(row, users),
      ...resource(row),
      source_commit: row.source_commit,
      source_merge_request_id: row.source_merge_request_id,
      state: row.state,
    })),
  milestone: async ({ db, externalUrl }, rows, users) => {
    const milestones = await milestonesById(
      db.read,
      rows.map(({ milestone_id }) => milestone_id),
    );
    return rows.map((row) => {
      const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id);
      return {
        ...common(row, users),
        ...resource(row),
        milestone: milestone ? presentMilestone(milestone, externalUrl) : null,
        action: row.action,
        state: row.state,
      };
    });
  },
  weight: async (_services, rows, users) =>
    rows.map((row) => ({ ...common(row, users), issue_id: row.target_id, weight: row.weight })),
};

async function present<K extends EventKind>(
  services: Services,
  kind: K,
  rows: readonly EventRows[K][],
): Promise<EventEntities[K][]> {
  const users = await basicUsers(
    services.db.read,
    rows.map(({ user_id }) => user_id),
    services.externalUrl,
  );
  return presenters[kind](services, rows, users);
}

/** Returns a page of the resource events of a target that the caller has been found to be allowed to read. */
export async function listResourceEvents<K extends EventKind>(
  services: Services,
  kind: K,
  target: Target,
  slice: Slice,
): Promise<Page<EventEntities[K]>> {
  const { rows, total } = await eventsOf(services.db.read, kind, target, slice);
  return new Page(await present(services, kind, rows), total);
}

export async function getResourceEvent<K extends EventKind>(
  services: Services,
  kind: K,
  target: Target,
  id: number,
): Promise<EventEntities[K]> {
  const row = await findEvent(services.db.read, kind, target, id);
  const [entity] = row ? await present(services, kind, [row]) : [];
  if (!entity) throw NotFound.record();
  return entity;
}
