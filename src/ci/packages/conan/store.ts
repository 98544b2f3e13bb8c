import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { escapeLike } from '../../../platform/database/letter-case.ts';
import { installable } from '../rules.ts';
import type { ConanFilesTable, PackageFileRow, PackageRow } from '../tables.ts';
import type { FileLocation, Recipe } from './paths.ts';

/** A recipe in a project. */
export interface StoredRecipe extends Recipe {
  readonly project_id: number;
}

/** The files of a recipe or of a part of it. */
export type Part = StoredRecipe & Partial<FileLocation>;

const columns = ['project_id', 'name', 'version', 'username', 'channel'] as const;
const places = ['recipe_revision', 'package_reference', 'package_revision'] as const;

function isOf(part: Part) {
  const conditions = [...columns, ...places].flatMap((column) => {
    const value = part[column];
    return value === undefined ? [] : [sql`c.${sql.ref(column)} = ${value}`];
  });
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

/** Subquery for the IDs of files of a part of a recipe. */
export const fileIdsOf = (part: Part) => sql`select c.file_id from conan_files c where ${isOf(part)}`;

/** Subquery for the IDs of files of packages built from a recipe revision. */
export const packageFileIdsOf = (part: Part) =>
  sql`select c.file_id from conan_files c where ${isOf(part)} and c.package_reference <> ''`;

const files = (db: Reader, part: Part) =>
  db
    .selectFrom('conan_files as c')
    .innerJoin('package_files as f', 'f.id', 'c.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .where(isOf(part))
    .where('p.status', 'in', [...installable]);

export async function insertFile(trx: Writer, row: ConanFilesTable): Promise<void> {
  await trx.insertInto('conan_files').values(row).execute();
}

/** Revisions of a recipe or package, latest first. */
export async function revisionsOf(
  db: Reader,
  part: Part,
  column: 'recipe_revision' | 'package_revision',
  limit: number,
): Promise<{ revision: string; created_at: number }[]> {
  const revision = sql.ref<string>(`c.${column}`);
  const rows = await files(db, part)
    .select([revision.as('revision'), sql<number>`max(f.created_at)`.as('created_at')])
    .groupBy(revision)
    .orderBy(sql`max(c.file_id)`, 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ revision, created_at }) => ({ revision, created_at: Number(created_at) }));
}

/** Names and digests of the files at a location. */
export function filesAt(db: Reader, part: StoredRecipe & FileLocation, limit: number) {
  return files(db, part).select(['c.file_name', 'f.md5']).orderBy('c.file_name').limit(limit).execute();
}

export function fileAt(
  db: Reader,
  part: StoredRecipe & FileLocation,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'>) | undefined> {
  return files(db, part)
    .selectAll('f')
    .select('p.last_downloaded_at')
    .where('c.file_name', '=', fileName)
    .executeTakeFirst();
}

/** ID of a file, whatever the status of its package. */
export async function fileIdAt(
  db: Reader,
  part: StoredRecipe & FileLocation,
  fileName: string,
): Promise<number | undefined> {
  const found = await db
    .selectFrom('conan_files as c')
    .select('c.file_id')
    .where(isOf(part))
    .where('c.file_name', '=', fileName)
    .executeTakeFirst();
  return found?.file_id;
}

/** Metadata of the packages of a recipe revision, latest first. */
export function infosOf(db: Reader, part: Part, limit: number) {
  return files(db, part)
    .select(['c.package_reference', 'c.info'])
    .where('c.info', 'is not', null)
    .orderBy('c.file_id', 'desc')
    .limit(limit)
    .execute();
}

/** Case-insensitive wildcard match. */
function isLike(column: string, pattern: string) {
  const like = escapeLike(pattern.toLowerCase()).replaceAll('*', '%');
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${like} escape '\\'`;
}

/** Recipes of some projects whose names match a wildcard pattern, case-insensitively. */
export async function recipesNamed(
  db: Reader,
  projects: readonly number[],
  pattern: string,
  limit: number,
): Promise<Recipe[]> {
  if (projects.length === 0) return [];
  return db
    .selectFrom('conan_files as c')
    .select(['c.name', 'c.version', 'c.username', 'c.channel'])
    .distinct()
    .where('c.project_id', 'in', [...projects])
    .where('c.package_reference', '=', '')
    .where(isLike('c.name', pattern))
    .orderBy('c.name')
    .orderBy('c.version')
    .orderBy('c.username')
    .orderBy('c.channel')
    .limit(limit)
    .execute();
}

/** Projects with Conan packages whose names match a wildcard pattern. */
export async function projectsWith(db: Reader, pattern: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('packages')
    .select('project_id')
    .distinct()
    // Written like the condition of the partial index on Conan packages.
    .where(sql<SqlBool>`package_type = 'conan'`)
    .where(isLike('name', pattern))
    .orderBy('project_id')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** Whether a query returns any row. */
export async function findsAny(db: Reader, ids: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`${ids} limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether a package has files left. */
export async function hasFiles(db: Reader, packageId: number): Promise<boolean> {
  const found = await db
    .selectFrom('package_files')
    .select('id')
    .where('package_id', '=', packageId)
    .limit(1)
    .execute();
  return found.length > 0;
}
