import { type SqlBool, sql } from 'kysely';
import { settingsOf } from '../../../access/stored-settings.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

type Ids = { ids: readonly number[] };

const namespacesById = statement((db, param: Param<Ids>) =>
  db.selectFrom('namespaces').selectAll().where('id', 'in', param.ids('ids')),
);
const projectsById = statement((db, param: Param<Ids>) =>
  db.selectFrom('projects').selectAll().where('id', 'in', param.ids('ids')),
);
const limiting = statement((db, param: Param<Ids>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select(['a.namespace_id', 'n.archived', 'n.settings'])
    .where('a.namespace_id', 'in', param.ids('ids'))
    .where(sql<SqlBool>`(n.archived = 1 or n.settings like '%"ip_restriction_ranges":"%')`),
);
const sharesOf = statement(
  (db, param: Param<Ids>) =>
    db
      .selectFrom('project_shares as s')
      .innerJoin('namespaces as n', 'n.id', 's.with_namespace_id')
      .select([
        's.project_id',
        's.with_namespace_id',
        's.access_level',
        's.member_role_id',
        's.expires_at',
        'n.name',
        'n.full_path',
      ])
      .where('s.project_id', 'in', param.ids('ids'))
      .orderBy('s.id'),
  { cached: true },
);

/** A group that a project is shared with. */
export interface Share {
  project_id: number;
  with_namespace_id: number;
  member_role_id: number | null;
  access_level: number;
  expires_at: number | null;
  name: string;
  full_path: string;
}

/** Loads namespaces by id. */
export function findNamespaces(db: Reader, ids: readonly number[]): Promise<Namespace[]> {
  return namespacesById.all(db, { ids });
}

/** Loads projects by id. */
export function findProjects(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return projectsById.all(db, { ids });
}

/** Returns which of these namespaces are archived or restricted to IP ranges, themselves or through ancestors. */
export async function restrictionsOf(
  db: Reader,
  ids: readonly number[],
): Promise<{ readonly archived: ReadonlySet<number>; readonly ranges: ReadonlyMap<number, readonly string[]> }> {
  const archived = new Set<number>();
  const ranges = new Map<number, string[]>();
  for (const row of await limiting.all(db, { ids })) {
    if (row.archived === 1) archived.add(row.namespace_id);
    const { ip_restriction_ranges: list } = settingsOf(row);
    if (typeof list === 'string' && list !== '') {
      ranges.set(row.namespace_id, [...(ranges.get(row.namespace_id) ?? []), list]);
    }
  }
  return { archived, ranges };
}

/** Returns the groups that projects are shared with, including expired shares. */
export function findShares(db: Reader, ids: readonly number[]): Promise<Share[]> {
  return sharesOf.all(db, { ids });
}

/** Returns the artifact sizes of these projects; those without artifacts are omitted. */
export async function artifactSizes(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db.selectFrom('derived_artifact_sizes').selectAll().where('project_id', 'in', ids).execute();
  return new Map(rows.map(({ project_id, total }) => [project_id, Number(total)]));
}

/** Returns the snippet sizes of these projects; those without snippets are omitted. */
export async function snippetSizes(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db.selectFrom('derived_snippet_sizes').selectAll().where('project_id', 'in', ids).execute();
  return new Map(rows.map(({ project_id, total }) => [project_id, Number(total)]));
}
