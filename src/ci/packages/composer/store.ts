import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import { inNamespaceProjects } from '../store.ts';
import type { ComposerVersionsTable, PackageRow } from '../tables.ts';
import type { StoredVersion } from './document.ts';

export function versionOf(db: Reader, packageId: number): Promise<ComposerVersionsTable | undefined> {
  return db.selectFrom('composer_versions').selectAll().where('package_id', '=', packageId).executeTakeFirst();
}

export async function saveVersion(trx: Writer, row: ComposerVersionsTable): Promise<void> {
  const { target_sha, manifest } = row;
  await trx
    .insertInto('composer_versions')
    .values(row)
    .onConflict((conflict) => conflict.column('package_id').doUpdateSet({ target_sha, manifest }))
    .execute();
}

/** Whether another project in the same root namespace has packages with this name. */
export async function isNameTaken(
  db: Reader,
  name: string,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<boolean> {
  const meet = sql`select 1 from namespace_ancestors theirs join namespace_ancestors ours on ours.ancestor_id = theirs.ancestor_id
    where theirs.namespace_id = p.namespace_id and ours.namespace_id = ${project.namespace_id}`;
  const found = await db
    .selectFrom('composer_versions as v')
    .innerJoin('projects as p', 'p.id', 'v.project_id')
    .select('v.package_id')
    .where('v.name', '=', name)
    .where('v.project_id', '!=', project.id)
    .where(sql<SqlBool>`exists (${meet})`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Projects in a namespace that have Composer packages, optionally with a given name. */
export async function projectsBelow(
  db: Reader,
  namespaceId: number,
  name: string | undefined,
  limit: number,
): Promise<number[]> {
  const named = name === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`name = ${name}`;
  const rows = await db
    .selectFrom('composer_versions')
    .select('project_id')
    .distinct()
    .where(named)
    .where(inNamespaceProjects(namespaceId))
    .orderBy('project_id')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

const columns = ['v.package_id', 'v.project_id', 'v.name', 'p.version', 'v.target_sha', 'v.manifest'] as const;

/** Versions of a package in order of first publication, in batches by package ID. */
export function versionsAfter(
  db: Reader,
  projects: readonly number[],
  name: string,
  after: number,
  limit: number,
): Promise<StoredVersion[]> {
  return db
    .selectFrom('composer_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select(columns)
    .where('v.project_id', 'in', [...projects])
    .where('v.name', '=', name)
    .where('p.status', 'in', [...installable])
    .where('v.package_id', '>', after)
    .orderBy('v.package_id')
    .limit(limit)
    .execute();
}

/** Package IDs of all versions in these projects, ordered by package name. */
export async function allVersions(db: Reader, projects: readonly number[], limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('composer_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select('v.package_id')
    .where('v.project_id', 'in', [...projects])
    .where('p.status', 'in', [...installable])
    .orderBy('v.name')
    .orderBy('v.package_id')
    .limit(limit)
    .execute();
  return rows.map(({ package_id }) => package_id);
}

/** Loads a batch of these versions in the same order. */
export function versionsByNumber(db: Reader, numbers: readonly number[]): Promise<StoredVersion[]> {
  return db
    .selectFrom('composer_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select(columns)
    .where('v.package_id', 'in', [...numbers])
    .orderBy('v.name')
    .orderBy('v.package_id')
    .execute();
}

/** Finds an installable package of a project published from this commit. */
export function packageOfCommit(
  db: Reader,
  projectId: number,
  name: string,
  sha: string,
): Promise<Pick<PackageRow, 'id' | 'last_downloaded_at'> | undefined> {
  return db
    .selectFrom('composer_versions as v')
    .innerJoin('packages as p', 'p.id', 'v.package_id')
    .select(['p.id', 'p.last_downloaded_at'])
    .where('v.project_id', '=', projectId)
    .where('v.name', '=', name)
    .where('v.target_sha', '=', sha)
    .where('p.status', 'in', [...installable])
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
