import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';
import type { Namespace } from './tables.ts';
import { hasRoleInOrBelow } from './visibility/visible.ts';

// Nearly every request executes these; see `RowCache`.
const cached = { cached: true };

/** The project with this id. */
export const projectById = statement(
  (db, param: Param<{ id: number }>) => db.selectFrom('projects').selectAll().where('id', '=', param('id')),
  cached,
);

const namespaceById = statement(
  (db, param: Param<{ id: number }>) => db.selectFrom('namespaces').selectAll().where('id', '=', param('id')),
  cached,
);

/** The namespace with this id, if any. */
export async function findNamespace(db: Reader, id: number | null | undefined): Promise<Namespace | undefined> {
  return id == null ? undefined : namespaceById.first(db, { id });
}

/** The route of a current or former path. */
export const routeByPath = statement(
  (db, param: Param<{ path: string }>) => db.selectFrom('routes').selectAll().where('path', '=', param('path')),
  cached,
);

/** The project at a path; `former` if it has moved away. */
export const projectByPath = statement(
  (db, param: Param<{ path: string }>) =>
    db
      .selectFrom('routes')
      .innerJoin('projects', 'projects.id', 'routes.project_id')
      .selectAll('projects')
      .select('routes.redirect as former')
      .where('routes.path', '=', param('path')),
  cached,
);

// Matching the raw JSON avoids parsing the settings of all ancestors for the many that have no restriction.
const restricts = sql<SqlBool>`n.settings like '%"ip_restriction_ranges":"%'`;

/** The namespace of a project, with the inherited state of its ancestors. */
export const namespaceWithInheritedState = statement(
  (db, param: Param<{ id: number }>) =>
    db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      .select(
        sql<number>`case when namespaces.kind = 'group' and exists (
          select 1 from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
          where a.namespace_id = namespaces.id and n.archived = 1) then 1 else 0 end`.as('archived_above'),
      )
      .select(
        sql<number>`case when namespaces.kind = 'group' and exists (
          select 1 from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
          where a.namespace_id = namespaces.id and ${restricts}) then 1 else 0 end`.as('restricted_above'),
      )
      .where('namespaces.id', '=', param('id')),
  cached,
);

/** The inherited state of a group and its ancestors. */
export const inheritedGroupState = statement(
  (db, param: Param<{ id: number }>) =>
    db
      .selectFrom('namespace_ancestors as a')
      .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
      .select((eb) => eb.fn.max('n.archived').as('archived'))
      .select(sql<number>`max(case when ${restricts} then 1 else 0 end)`.as('restricted'))
      .where('a.namespace_id', '=', param('id')),
  cached,
);

/** Finds out whether a user has a role somewhere inside a group. */
export const roleInOrBelowGroup = statement((db, param: Param<{ id: number; user: number; now: number }>) =>
  db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', '=', param('id'))
    .where(hasRoleInOrBelow(param('user'), param('now'))),
);
