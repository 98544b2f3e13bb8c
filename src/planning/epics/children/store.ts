import { sql } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';
import { positionGap } from '../../positions.ts';

/** Renumbers the children of an epic in their current order, to make room between two of them. */
export async function spreadChildren(trx: Writer, parent: number): Promise<void> {
  await sql`update epics set relative_position = ordered.n * ${sql.lit(positionGap)}
    from (select id, row_number() over (order by relative_position, id) as n from epics where parent_id = ${parent}) ordered
    where ordered.id = epics.id`.execute(trx);
}
