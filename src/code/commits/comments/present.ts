import type { Services } from '../../../access/services.ts';
import type { SaidNote } from '../../../namespaces/events/public.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { CommitCommentEntity } from './schema.ts';
import { findComments } from './store.ts';
import type { CommitCommentRow } from './tables.ts';

/** The entities of comments, with one query for their authors. */
export async function presentComments(
  { db, externalUrl }: Services,
  rows: readonly CommitCommentRow[],
): Promise<CommitCommentEntity[]> {
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.author_id),
    externalUrl,
  );
  return rows.map(({ note, path, line, line_type, author_id, created_at }) => ({
    note,
    path,
    line,
    line_type,
    author: authors.get(author_id) ?? null,
    created_at: instant(created_at),
  }));
}

/** Comments on commits, as the feed of events shows them. */
export async function commentsAsNotes(db: Reader, ids: readonly number[]): Promise<SaidNote[]> {
  return (await findComments(db, ids)).map(asNote);
}

function asNote(row: CommitCommentRow): SaidNote {
  const at = instant(row.created_at);
  return {
    id: row.id,
    type: row.line === null ? null : 'LegacyDiffNote',
    body: row.note,
    created_at: at,
    updated_at: at,
    system: false,
    // A commit has no number, only its id.
    noteable_id: null,
    noteable_type: 'Commit',
    project_id: row.project_id,
    resolvable: false,
    confidential: false,
    internal: false,
    imported: false,
    imported_from: 'none',
  };
}
