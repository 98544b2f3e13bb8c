import { sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

/** Storage sizes of the projects of a group. */
export interface Sizes {
  readonly repository: number;
  readonly lfs: number;
  readonly uploads: number;
  readonly packages: number;
  readonly registry: number;
  readonly wiki: number;
  readonly artifacts: number;
  readonly snippets: number;
}

const sums = [
  sql<number>`coalesce(sum(p.repository_size), 0)`.as('repository'),
  sql<number>`coalesce(sum(p.lfs_objects_size), 0)`.as('lfs'),
  sql<number>`coalesce(sum(p.uploads_size), 0)`.as('uploads'),
  sql<number>`coalesce(sum(p.packages_size), 0)`.as('packages'),
  sql<number>`coalesce(sum(p.container_registry_size), 0)`.as('registry'),
  sql<number>`coalesce(sum(p.wiki_size), 0)`.as('wiki'),
  sql<number>`coalesce(sum(s.total), 0)`.as('artifacts'),
  sql<number>`coalesce(sum(t.total), 0)`.as('snippets'),
];

const ofOwnProjects = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects as p')
    .leftJoin('derived_artifact_sizes as s', 's.project_id', 'p.id')
    .leftJoin('derived_snippet_sizes as t', 't.project_id', 'p.id')
    .select('p.namespace_id as id')
    .select(sums)
    .where('p.namespace_id', 'in', param.ids('ids'))
    .groupBy('p.namespace_id'),
);
const ofEverythingBelow = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .leftJoin('derived_artifact_sizes as s', 's.project_id', 'p.id')
    .leftJoin('derived_snippet_sizes as t', 't.project_id', 'p.id')
    .select('a.ancestor_id as id')
    .select(sums)
    .where('a.ancestor_id', 'in', param.ids('ids'))
    .groupBy('a.ancestor_id'),
);

// PostgreSQL sums bigints into a numeric, which the driver returns as text.
function byGroup(rows: readonly ({ id: number } & Sizes)[]): Map<number, Sizes> {
  return new Map(
    rows.map(({ id, repository, lfs, uploads, packages, registry, wiki, artifacts, snippets }) => [
      id,
      {
        repository: Number(repository),
        lfs: Number(lfs),
        uploads: Number(uploads),
        packages: Number(packages),
        registry: Number(registry),
        wiki: Number(wiki),
        artifacts: Number(artifacts),
        snippets: Number(snippets),
      },
    ]),
  );
}

/** Returns the sizes of the direct projects of these groups. */
export async function groupSizes(db: Reader, ids: readonly number[]): Promise<Map<number, Sizes>> {
  return byGroup(await ofOwnProjects.all(db, { ids }));
}

/** Returns the sizes of all projects in these group hierarchies. */
export async function hierarchySizes(db: Reader, ids: readonly number[]): Promise<Map<number, Sizes>> {
  return byGroup(await ofEverythingBelow.all(db, { ids }));
}
