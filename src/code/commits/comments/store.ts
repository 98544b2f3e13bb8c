import type { Reader, Writer } from '../../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../../platform/database/paging.ts';
import type { CommitCommentRow, NewCommitComment } from './tables.ts';

/** One page of the comments on a commit, oldest first. */
export function listComments(db: Reader, projectId: number, sha: string, slice: Slice) {
  const query = db
    .selectFrom('commit_comments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .orderBy('id');
  return fetchPage(db, query, slice);
}

/** The comments that have these numbers. */
export function findComments(db: Reader, ids: readonly number[]): Promise<CommitCommentRow[]> {
  return db.selectFrom('commit_comments').selectAll().where('id', 'in', ids).execute();
}

export function insertComment(trx: Writer, row: NewCommitComment): Promise<CommitCommentRow> {
  return trx.insertInto('commit_comments').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Comments outlive their author, as the heir's. */
export async function handOverComments(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('commit_comments').set({ author_id: to }).where('author_id', '=', from).execute();
}
