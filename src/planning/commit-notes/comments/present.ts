import Type from 'typebox';
import type { Services } from '../../../access/services.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import type { NoteRow } from '../../notes/public.ts';
import type { CommitCommentEntity } from './schema.ts';

const line = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const position = storedJson(
  Type.Object({ new_path: Type.String(), old_path: Type.String(), old_line: line, new_line: line }),
);

const nowhere = { path: null, line: null, line_type: null };

/** The diff line of a note; an unchanged line is neither new nor old. */
function placeOf({ position: stored }: NoteRow): Pick<CommitCommentEntity, 'path' | 'line' | 'line_type'> {
  if (stored === null) return nowhere;
  const { new_path: path, old_line = null, new_line = null } = position(stored);
  if (new_line === null) return { path, line: old_line, line_type: old_line === null ? null : 'old' };
  return { path, line: new_line, line_type: old_line === null ? 'new' : null };
}

/** Presents notes in the older comment format, with one query for their authors. */
export async function presentComments(
  { db, externalUrl }: Services,
  rows: readonly NoteRow[],
): Promise<CommitCommentEntity[]> {
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.author_id),
    externalUrl,
  );
  return rows.map((row) => ({
    note: row.body,
    ...placeOf(row),
    author: authors.get(row.author_id) ?? null,
    created_at: instant(row.created_at),
  }));
}
