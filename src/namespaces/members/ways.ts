import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Value, type Viewer, visibleGroups } from '../../access/visible.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { inForce } from './store.ts';

const fields = sql`m.user_id, m.created_at, m.created_by_id, m.namespace_id as source_id, m.id as member_id`;
const own = sql`${fields}, m.access_level, m.expires_at`;
// Through an invited group one holds the lower of the two roles, until the earlier of the two days.
const lent = sql`${fields},
  case when s.access_level < m.access_level then s.access_level else m.access_level end as access_level,
  case when m.expires_at is null or s.expires_at < m.expires_at then s.expires_at else m.expires_at end as expires_at`;

/** One way to come to a role: whose columns to take, how far it is, and where the memberships `m` are found. */
export interface Way {
  readonly columns: RawBuilder<unknown>;
  readonly distance: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

interface Where extends Viewer<Value> {
  readonly namespace: Value;
  readonly project_id?: Value | undefined;
}

/** Every way to a role in the place; groups that the viewer may not know of lend none. */
export function waysTo(db: Kysely<Tables>, where: Where): Way[] {
  const { namespace, project_id, now } = where;
  const known = sql`exists ${db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(sql<SqlBool>`namespaces.id = s.with_namespace_id`)
    .where((eb) => visibleGroups(eb, where))}`;
  const invited = sql`
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where ${inForce('m', now)} and ${inForce('s', now)} and ${known}`;
  const ways: Way[] = [
    {
      columns: own,
      distance: sql`a.depth + 1`,
      from: sql`namespace_ancestors a join members m on m.namespace_id = a.ancestor_id
        where a.namespace_id = ${namespace} and ${inForce('m', now)}`,
    },
    {
      columns: lent,
      distance: sql`100`,
      from: sql`namespace_ancestors a join group_shares s on s.namespace_id = a.ancestor_id ${invited}
        and a.namespace_id = ${namespace}`,
    },
  ];
  if (!project_id) return ways;
  return [
    {
      columns: own,
      distance: sql`0`,
      from: sql`members m where m.project_id = ${project_id} and ${inForce('m', now)}`,
    },
    ...ways,
    { columns: lent, distance: sql`100`, from: sql`project_shares s ${invited} and s.project_id = ${project_id}` },
  ];
}
