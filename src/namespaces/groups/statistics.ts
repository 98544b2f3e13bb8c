import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { GroupStatistics, RootStorageStatistics } from './schema.ts';

interface Sizes {
  readonly repository: number;
  readonly lfs: number;
  readonly uploads: number;
}

const sums = [
  sql<number>`coalesce(sum(p.repository_size), 0)`.as('repository'),
  sql<number>`coalesce(sum(p.lfs_objects_size), 0)`.as('lfs'),
  sql<number>`coalesce(sum(p.uploads_size), 0)`.as('uploads'),
];

const ofOwnProjects = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects as p')
    .select('p.namespace_id as id')
    .select(sums)
    .where('p.namespace_id', 'in', param.ids('ids'))
    .groupBy('p.namespace_id'),
);
const ofEverythingBelow = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .select('a.ancestor_id as id')
    .select(sums)
    .where('a.ancestor_id', 'in', param.ids('ids'))
    .groupBy('a.ancestor_id'),
);

// PostgreSQL sums bigints into a numeric, which arrives as text.
function byGroup(rows: readonly ({ id: number } & Sizes)[]): Map<number, Sizes> {
  return new Map(
    rows.map(({ id, repository, lfs, uploads }) => [
      id,
      { repository: Number(repository), lfs: Number(lfs), uploads: Number(uploads) },
    ]),
  );
}

/** The sizes of the projects directly in these groups. */
export async function groupSizes(db: Reader, ids: readonly number[]): Promise<Map<number, Sizes>> {
  return byGroup(await ofOwnProjects.all(db, { ids }));
}

/** The sizes of all projects in and below these groups. */
export async function hierarchySizes(db: Reader, ids: readonly number[]): Promise<Map<number, Sizes>> {
  return byGroup(await ofEverythingBelow.all(db, { ids }));
}

const nothing: Sizes = { repository: 0, lfs: 0, uploads: 0 };
const total = (sizes: Sizes) => sizes.repository + sizes.lfs + sizes.uploads;

/** What is not stored per project (wikis, packages, artifacts, snippets) takes no space yet. */
export function presentStatistics(sizes: Sizes = nothing): Static<typeof GroupStatistics> {
  return {
    storage_size: total(sizes),
    repository_size: sizes.repository,
    wiki_size: 0,
    lfs_objects_size: sizes.lfs,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 0,
    uploads_size: sizes.uploads,
  };
}

export function presentRootStatistics(sizes: Sizes = nothing): Static<typeof RootStorageStatistics> {
  return {
    build_artifacts_size: 0,
    container_registry_size: 0,
    container_registry_size_is_estimated: false,
    dependency_proxy_size: 0,
    lfs_objects_size: sizes.lfs,
    packages_size: 0,
    pipeline_artifacts_size: 0,
    repository_size: sizes.repository,
    snippets_size: 0,
    storage_size: total(sizes),
    uploads_size: sizes.uploads,
    wiki_size: 0,
  };
}
