import type { Reader } from '../../platform/database/database.ts';
import type { MilestoneRow } from './tables.ts';

/** The milestones that a project can use, its own before those of the groups above, by title or as `%1` by number. */
export async function milestonesNamed(
  db: Reader,
  projectId: number,
  namespaceIds: readonly number[],
  names: readonly string[],
): Promise<ReadonlyMap<string, Pick<MilestoneRow, 'id' | 'title'>>> {
  if (names.length === 0) return new Map();
  const numbers = names.filter((name) => /^%\d{1,9}$/.test(name)).map((name) => Number(name.slice(1)));
  const rows = await db
    .selectFrom('milestones')
    .select(['id', 'iid', 'title', 'project_id'])
    .where(({ or, and, eb }) =>
      or([
        and([
          eb('project_id', '=', projectId),
          or([eb('title', 'in', names), ...(numbers.length > 0 ? [eb('iid', 'in', numbers)] : [])]),
        ]),
        ...(namespaceIds.length > 0 ? [and([eb('namespace_id', 'in', namespaceIds), eb('title', 'in', names)])] : []),
      ]),
    )
    .orderBy('project_id', (order) => order.asc().nullsFirst())
    .execute();
  const found = new Map<string, Pick<MilestoneRow, 'id' | 'title'>>();
  for (const { id, iid, title, project_id } of rows) {
    found.set(title, { id, title });
    if (project_id !== null) found.set(`%${iid}`, { id, title });
  }
  return found;
}
