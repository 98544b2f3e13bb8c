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
const belowArchived = statement((db, param: Param<Ids>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('a.namespace_id')
    .where('a.namespace_id', 'in', param.ids('ids'))
    .where('n.archived', '=', 1),
);
const sharesOf = statement(
  (db, param: Param<Ids>) =>
    db
      .selectFrom('project_shares as s')
      .innerJoin('namespaces as n', 'n.id', 's.with_namespace_id')
      .select(['s.project_id', 's.with_namespace_id', 's.access_level', 's.expires_at', 'n.name', 'n.full_path'])
      .where('s.project_id', 'in', param.ids('ids'))
      .orderBy('s.id'),
  { cached: true },
);

/** A group that a project was shared with. */
export interface Share {
  project_id: number;
  with_namespace_id: number;
  access_level: number;
  expires_at: number | null;
  name: string;
  full_path: string;
}

/** Namespaces by their numbers. */
export function findNamespaces(db: Reader, ids: readonly number[]): Promise<Namespace[]> {
  return namespacesById.all(db, { ids });
}

/** Projects by their numbers. */
export function findProjects(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return projectsById.all(db, { ids });
}

/** Which of these namespaces are archived, or lie below one that is. */
export async function archivedAmong(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await belowArchived.all(db, { ids })).map((row) => row.namespace_id));
}

/** The groups that projects were shared with, those included whose time is up. */
export function findShares(db: Reader, ids: readonly number[]): Promise<Share[]> {
  return sharesOf.all(db, { ids });
}
