import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { installable } from '../rules.ts';
import { inNamespaceProjects } from '../store.ts';
import type { NugetVersionsTable, PackageRow } from '../tables.ts';

export async function saveVersion(trx: Writer, row: NugetVersionsTable): Promise<void> {
  await trx
    .insertInto('nuget_versions')
    .values(row)
    .onConflict((conflict) => conflict.column('package_id').doUpdateSet({ metadata: row.metadata }))
    .execute();
}

/** Finds a version in a project, case-insensitively. */
export function packageOf(
  db: Reader,
  projectId: number,
  name: string,
  version: string,
): Promise<PackageRow | undefined> {
  return db
    .selectFrom('nuget_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .selectAll('p')
    .where('v.project_id', '=', projectId)
    .where('v.lower_name', '=', name.toLowerCase())
    .where('v.lower_version', '=', version.toLowerCase())
    .executeTakeFirst();
}

/** Returns the project's spelling of a package name; undefined if it has no such package. */
export async function spellingOf(db: Reader, projectId: number, name: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('nuget_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select('p.name')
    .where('v.project_id', '=', projectId)
    .where('v.lower_name', '=', name.toLowerCase())
    .limit(1)
    .executeTakeFirst();
  return found?.name;
}

/** Projects in a namespace that have NuGet packages, optionally with a given name. */
export async function projectsBelow(
  db: Reader,
  namespaceId: number,
  name: string | undefined,
  limit: number,
): Promise<number[]> {
  const named = name === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`lower_name = ${name.toLowerCase()}`;
  const rows = await db
    .selectFrom('nuget_versions')
    .select('project_id')
    .distinct()
    .where(named)
    .where(inNamespaceProjects(namespaceId))
    .orderBy('project_id')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** The most recently published versions of packages with these names. */
export async function versionsOf(db: Reader, projects: readonly number[], names: readonly string[], limit: number) {
  if (projects.length === 0 || names.length === 0) return [];
  return db
    .selectFrom('nuget_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select(['v.package_id', 'v.lower_name', 'v.lower_version as version', 'v.is_prerelease'])
    .where('v.project_id', 'in', [...projects])
    .where('v.lower_name', 'in', [...names])
    .where('p.status', 'in', [...installable])
    .orderBy('v.package_id', 'desc')
    .limit(limit)
    .execute();
}

/** Details of these versions. */
export function detailsOf(db: Reader, packageIds: readonly number[]) {
  return db
    .selectFrom('nuget_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select(['p.id', 'p.project_id', 'p.name', 'p.version', 'p.created_at', 'v.lower_version', 'v.metadata'])
    .where('v.package_id', 'in', [...packageIds])
    .execute();
}

export interface PackageSearch {
  /** Part of the package name. */
  readonly text: string;
  readonly prerelease: boolean;
}

function searched(db: Reader, projects: readonly number[], { text, prerelease }: PackageSearch) {
  const named = db
    .selectFrom('nuget_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .where('v.project_id', 'in', [...projects])
    .where('p.status', 'in', ['default', 'deprecated'])
    .where(contains(sql.ref('v.lower_name'), text));
  return prerelease ? named : named.where('v.is_prerelease', '=', 0);
}

/** Names of packages found by a search, in order. */
export async function namesFound(
  db: Reader,
  projects: readonly number[],
  search: PackageSearch,
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<{ names: string[]; total: number }> {
  if (projects.length === 0) return { names: [], total: 0 };
  const found = searched(db, projects, search);
  const rows = await found.select('v.lower_name').distinct().orderBy('v.lower_name').offset(skip).limit(take).execute();
  const { total } = await found
    .select(({ fn }) => fn.count('v.lower_name').distinct().as('total'))
    .executeTakeFirstOrThrow();
  return { names: rows.map(({ lower_name }) => lower_name), total: Number(total) };
}
