import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import { inNamespaceProjects } from '../store.ts';
import type { PackageFileRow, PackageRow, PypiVersionsTable } from '../tables.ts';

export async function saveVersion(trx: Writer, row: PypiVersionsTable): Promise<void> {
  await trx
    .insertInto('pypi_versions')
    .values(row)
    .onConflict((conflict) => conflict.column('package_id').doUpdateSet({ requires_python: row.requires_python }))
    .execute();
}

/** Projects in a namespace that have Python packages, optionally with a given name. */
export async function projectsBelow(
  db: Reader,
  namespaceId: number,
  name: string | undefined,
  limit: number,
): Promise<number[]> {
  const named = name === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`normalized_name = ${name}`;
  const rows = await db
    .selectFrom('pypi_versions')
    .select('project_id')
    .distinct()
    .where(named)
    .where(inNamespaceProjects(namespaceId))
    .orderBy('project_id')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** Files of a package in order of publication, in batches by ID. */
export function filesAfter(db: Reader, projects: readonly number[], name: string, after: number, limit: number) {
  return db
    .selectFrom('pypi_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .select(['f.id', 'f.file_name', 'f.sha256', 'p.project_id', 'v.requires_python'])
    .where('v.project_id', 'in', [...projects])
    .where('v.normalized_name', '=', name)
    .where('p.status', 'in', [...installable])
    .where('f.id', '>', after)
    .orderBy('f.id')
    .limit(limit)
    .execute();
}

/** Normalized package names in order, in batches after a name. */
export async function namesAfter(db: Reader, projects: readonly number[], after: string, limit: number) {
  const rows = await db
    .selectFrom('pypi_versions')
    .select('normalized_name')
    .distinct()
    .where('project_id', 'in', [...projects])
    .where('normalized_name', '>', after)
    .orderBy('normalized_name')
    .limit(limit)
    .execute();
  return rows.map(({ normalized_name }) => normalized_name);
}

/** Files with a digest and name, in a project or in the projects of a namespace. */
export function filesOfDigest(
  db: Reader,
  where: { readonly projectId: number } | { readonly namespaceId: number },
  sha256: string,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'project_id' | 'last_downloaded_at'>)[]> {
  const place =
    'projectId' in where
      ? sql<SqlBool>`p.project_id = ${where.projectId}`
      : inNamespaceProjects(where.namespaceId, 'p.project_id');
  return db
    .selectFrom('package_files as f')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .selectAll('f')
    .select(['p.project_id', 'p.last_downloaded_at'])
    .where('f.sha256', '=', sha256)
    .where('f.file_name', '=', fileName)
    .where('p.package_type', '=', 'pypi')
    .where('p.status', 'in', [...installable])
    .where(place)
    .orderBy('f.id', 'desc')
    .limit(20)
    .execute();
}
