import { type Insertable, sql, type Updateable } from 'kysely';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { MilestoneRow, MilestonesTable } from './tables.ts';

/** A milestone with the path of its project or group. */
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

/** Milestones by ID. */
export async function milestonesById(
  db: Reader,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, FoundMilestone>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length === 0 ? [] : await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Milestones available to a project, by title or, for its own ones, by IID as `%1`. The project's own milestone takes
 * precedence over one of an ancestor group.
 */
export async function milestonesNamed(
  db: Reader,
  projectId: number,
  namespaceIds: readonly number[],
  names: readonly string[],
): Promise<ReadonlyMap<string, FoundMilestone>> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return new Map();
  const iids = wanted.filter((name) => /^%\d{1,9}$/.test(name)).map((name) => Number(name.slice(1)));
  const rows = await db
    .selectFrom('milestones')
    .select('id')
    .where(({ eb, or, and }) =>
      or([
        and([eb('project_id', '=', projectId), eb('title', 'in', wanted)]),
        ...(iids.length > 0 ? [and([eb('project_id', '=', projectId), eb('iid', 'in', iids)])] : []),
        ...(namespaceIds.length > 0 ? [and([eb('namespace_id', 'in', namespaceIds), eb('title', 'in', wanted)])] : []),
      ]),
    )
    .execute();
  const found = await milestonesById(
    db,
    rows.map(({ id }) => id),
  );
  const ownLast = [...found.values()].sort((a, b) => Number(a.project_id !== null) - Number(b.project_id !== null));
  return new Map(
    ownLast.flatMap((row) => [[row.title, row], ...(row.project_id === null ? [] : [[`%${row.iid}`, row] as const])]),
  );
}

/** Returns a milestone available to a project: its own, or one of an ancestor group. */
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

export function insertMilestone(trx: Writer, row: Insertable<MilestonesTable>): Promise<MilestoneRow> {
  return trx.insertInto('milestones').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateMilestone(trx: Writer, id: number, change: Updateable<MilestonesTable>): Promise<MilestoneRow> {
  return trx.updateTable('milestones').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteMilestones(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('milestones').where('id', 'in', ids).execute();
}

/** Whether a title is already used in an ancestor group, or anywhere below a group. */
export async function titleTaken(
  trx: Writer,
  title: string,
  { project_id, namespace_id }: OwnerColumns,
  above: readonly number[],
  except: number,
): Promise<boolean> {
  const taken = await trx
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('id', '<>', except)
    .where((eb) => {
      const kin = [];
      if (project_id !== null) kin.push(eb('project_id', '=', project_id));
      if (above.length > 0) kin.push(eb('namespace_id', 'in', above));
      if (namespace_id !== null) {
        const below = eb
          .selectFrom('namespace_ancestors as a')
          .select('a.namespace_id')
          .where('a.ancestor_id', '=', namespace_id);
        kin.push(eb('namespace_id', 'in', below));
        const inside = eb.selectFrom('projects').select('projects.id').where('projects.namespace_id', 'in', below);
        kin.push(eb('project_id', 'in', inside));
      }
      return eb.or(kin);
    })
    .limit(1)
    .executeTakeFirst();
  return taken !== undefined;
}

/** Milestones with this title in projects inside a group. */
export async function milestonesInside(trx: Writer, namespaceId: number, title: string): Promise<MilestoneRow[]> {
  const inside = trx
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('a.ancestor_id', '=', namespaceId);
  return trx
    .selectFrom('milestones')
    .selectAll()
    .where('title', '=', title)
    .where('project_id', 'in', inside)
    .execute();
}
