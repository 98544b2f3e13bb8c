import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import './tables.ts';

/** Adds to what the namespace at the top of a project has used, if the runner was one of the instance. */
export async function addSeconds(
  trx: Writer,
  { projectId, runnerId, month, seconds }: Record<'projectId' | 'runnerId' | 'month' | 'seconds', number>,
): Promise<void> {
  await sql`insert into runner_minutes (namespace_id, month, seconds)
    select n.id, ${sql.lit(month)}, ${sql.lit(seconds)} from projects p
      join namespace_ancestors a on a.namespace_id = p.namespace_id
      join namespaces n on n.id = a.ancestor_id and n.parent_id is null
    where p.id = ${projectId}
      and exists (select 1 from runners r where r.id = ${runnerId} and r.runner_type = 'instance_type')`.execute(trx);
}

const used = statement((db, param: Param<{ namespace: number; month: number }>) =>
  db
    .selectFrom('runner_minutes')
    .select((eb) => eb.fn.sum<number | string | null>('seconds').as('seconds'))
    .where('namespace_id', '=', param('namespace'))
    .where('month', '=', param('month')),
);

export async function secondsUsed(db: Reader, namespace: number, month: number): Promise<number> {
  return Number((await used.first(db, { namespace, month }))?.seconds ?? 0);
}

/** Some namespaces that have several rows for a month. */
export function scattered(db: Reader): Promise<{ namespace_id: number; month: number }[]> {
  return db
    .selectFrom('runner_minutes')
    .select(['namespace_id', 'month'])
    .groupBy(['namespace_id', 'month'])
    .having((eb) => eb.fn.countAll<number>(), '>', 1)
    .limit(100)
    .execute();
}

/** Puts one row in place of those that are there now; what is added meanwhile stays beside it. */
export async function gather(trx: Writer, namespaceId: number, month: number): Promise<void> {
  const rows = await trx
    .deleteFrom('runner_minutes')
    .where('namespace_id', '=', namespaceId)
    .where('month', '=', month)
    .returning('seconds')
    .execute();
  const seconds = rows.reduce((sum, row) => sum + Number(row.seconds), 0);
  await trx.insertInto('runner_minutes').values({ namespace_id: namespaceId, month, seconds }).execute();
}

const limits = statement((db, param: Param<{ namespace: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .leftJoin('users as u', 'u.id', 'n.owner_id')
    .select(['n.id', 'n.kind', 'n.settings', 'u.shared_runners_minutes_limit', 'u.extra_shared_runners_minutes_limit'])
    .where('a.namespace_id', '=', param('namespace'))
    .where('n.parent_id', 'is', null),
);

/** The namespace at the top of one, with what it is allowed, as it is kept for a group and for a user. */
export const limitsAbove = (db: Reader, namespace: number) => limits.first(db, { namespace });
