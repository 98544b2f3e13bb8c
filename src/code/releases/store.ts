import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { ReleaseEvidenceRow, ReleaseLinkRow, ReleaseRow } from './tables.ts';

const byTag = statement((db, param: Param<{ project: number; tag: string }>) =>
  db.selectFrom('releases').selectAll().where('project_id', '=', param('project')).where('tag', '=', param('tag')),
);
const notes = statement((db, param: Param<{ project: number; tags: readonly string[] }>) =>
  db
    .selectFrom('releases')
    .select(['tag', 'description'])
    .where('project_id', '=', param('project'))
    .where('tag', 'in', param.texts('tags')),
);
const linksOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('release_links').selectAll().where('release_id', 'in', param.ids('ids')).orderBy('id', 'desc'),
);
const evidencesOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'sha', 'created_at'])
    .where('release_id', 'in', param.ids('ids'))
    .orderBy('id'),
);

/** Finds the release of a tag. */
export function findRelease(db: Reader, project: number, tag: string): Promise<ReleaseRow | undefined> {
  return byTag.first(db, { project, tag });
}

/** Returns the descriptions of the releases of these tags. */
export async function releaseNotes(
  db: Reader,
  project: number,
  tags: readonly string[],
): Promise<Map<string, string | null>> {
  if (tags.length === 0) return new Map();
  const rows = await notes.all(db, { project, tags });
  return new Map(rows.map((row) => [row.tag, row.description]));
}

/** Finds the latest released release. */
export function latestRelease(db: Reader, project: number, now: number): Promise<ReleaseRow | undefined> {
  return db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', project)
    .where('released_at', '<=', now)
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Lists the tags of the latest releases. */
export async function releasedTags(db: Reader, project: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('releases')
    .select('tag')
    .where('project_id', '=', project)
    .where('released_at', '<=', Date.now())
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ tag }) => tag);
}

export function releaseById(db: Reader, id: number): Promise<ReleaseRow | undefined> {
  return db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the links and evidences of these releases. */
export async function linksAndEvidencesOf(
  db: Reader,
  ids: readonly number[],
): Promise<{ links: ReleaseLinkRow[]; evidences: Omit<ReleaseEvidenceRow, 'summary'>[] }> {
  if (ids.length === 0) return { links: [], evidences: [] };
  const [links, evidences] = await Promise.all([linksOf.all(db, { ids }), evidencesOf.all(db, { ids })]);
  return { links, evidences };
}

export function insertRelease(trx: Writer, row: Omit<ReleaseRow, 'id'>): Promise<ReleaseRow> {
  return trx.insertInto('releases').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRelease(trx: Writer, id: number, change: Partial<ReleaseRow>): Promise<ReleaseRow> {
  return trx.updateTable('releases').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRelease(trx: Writer, project: number, tag: string): Promise<void> {
  await trx.deleteFrom('releases').where('project_id', '=', project).where('tag', '=', tag).execute();
}

/** Reassigns the releases of a user to another user. */
export async function reassignReleases(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('releases').set({ author_id: to }).where('author_id', '=', from).execute();
}
