import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { MilestoneRow } from './tables.ts';

/** A milestone with the path of the project or group that it belongs to. */
export interface FoundMilestone extends MilestoneRow {
  readonly full_path: string;
}

const columns = [
  'milestones.id',
  'milestones.iid',
  'milestones.project_id',
  'milestones.namespace_id',
  'milestones.title',
  'milestones.description',
  'milestones.state',
  'milestones.start_date',
  'milestones.due_date',
  'milestones.created_at',
  'milestones.updated_at',
] as const;

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('milestones')
    .leftJoin('projects', 'projects.id', 'milestones.project_id')
    .innerJoin('namespaces', (join) =>
      join.on(sql<boolean>`namespaces.id = coalesce(milestones.namespace_id, projects.namespace_id)`),
    )
    .select(columns)
    .select(
      sql<string>`case when projects.id is null then namespaces.full_path
        else namespaces.full_path || '/' || projects.path end`.as('full_path'),
    )
    .where('milestones.id', 'in', param.ids('ids')),
);

/** Milestones by their numbers: for those that point to them. */
export async function milestonesById(
  db: Reader,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, FoundMilestone>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length === 0 ? [] : await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, row]));
}

/** A milestone that a project can use: its own, or one of the groups above it. */
export async function usableMilestone(
  db: Reader,
  id: number,
  projectId: number,
  namespaceIds: readonly number[],
): Promise<FoundMilestone | undefined> {
  const found = (await milestonesById(db, [id])).get(id);
  if (!found) return undefined;
  const usable =
    found.project_id === projectId || (found.namespace_id !== null && namespaceIds.includes(found.namespace_id));
  return usable ? found : undefined;
}
