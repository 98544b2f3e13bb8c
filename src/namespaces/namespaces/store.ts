import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

type Ids = { ids: readonly number[] };

const ownersOf = statement((db, param: Param<Ids>) =>
  db.selectFrom('users').select(['id', 'email', 'avatar']).where('id', 'in', param.ids('ids')),
);
const rootsOf = statement((db, param: Param<Ids>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select(['a.namespace_id as id', 'n.id as root'])
    .where('a.namespace_id', 'in', param.ids('ids'))
    .where('n.parent_id', 'is', null),
);
const projectCounts = statement((db, param: Param<Ids>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .select((eb) => ['a.ancestor_id as id', eb.fn.countAll<number>().as('count')])
    .where('a.ancestor_id', 'in', param.ids('ids'))
    .groupBy('a.ancestor_id'),
);
const memberCounts = statement((db, param: Param<Ids & { now: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('members as m', 'm.namespace_id', 'a.namespace_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select((eb) => [
      'a.ancestor_id as id',
      eb.fn.count<number>('m.user_id').distinct().as('members'),
      sql<number>`count(distinct case when u.kind = 'human' and u.state = 'active' and m.access_level > ${sql.lit(
        Role.minimal,
      )} then m.user_id end)`.as('billable'),
    ])
    .where('a.ancestor_id', 'in', param.ids('ids'))
    .where((eb) => eb.or([eb('m.expires_at', 'is', null), eb('m.expires_at', '>', param('now'))]))
    .groupBy('a.ancestor_id'),
);

/** Returns the owners of these personal namespaces. */
export async function ownerAvatars(db: Reader, ids: readonly number[]) {
  return new Map((await ownersOf.all(db, { ids })).map((user) => [user.id, user]));
}

/** Returns the root of each group. */
export async function roots(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  return new Map((await rootsOf.all(db, { ids })).map(({ id, root }) => [id, root]));
}

export async function countProjects(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  return new Map((await projectCounts.all(db, { ids })).map(({ id, count }) => [id, Number(count)]));
}

export async function countMembers(db: Reader, ids: readonly number[]) {
  const rows = await memberCounts.all(db, { ids, now: Date.now() });
  return new Map(
    rows.map(({ id, members, billable }) => [id, { members: Number(members), billable: Number(billable) }]),
  );
}

/** Returns which of these paths are in use, with the id of the namespace if one uses it. */
export async function addressesInUse(db: Reader, paths: readonly string[]): Promise<Map<string, number | null>> {
  const rows = await db
    .selectFrom('routes')
    .select(['path', 'namespace_id'])
    .where('path', 'in', [...paths])
    .where('redirect', '=', 0)
    .execute();
  return new Map(rows.map(({ path, namespace_id }) => [path, namespace_id]));
}
