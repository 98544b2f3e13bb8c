import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Target } from '../target.ts';
import type { NoteRow } from './tables.ts';

/** Nothing has more comments than this. */
const maxNotes = 5000;

const standing = statement((db, param: Param<{ type: string; id: number; limit: number }>) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_type', '=', param('type'))
    .where('noteable_id', '=', param('id'))
    .where('type', '=', 'DiffNote')
    .where('system', '=', 0)
    .where('position', 'is not', null)
    .where('change_position', 'is', null)
    .orderBy('id')
    .limit(param('limit')),
);

/** The notes on lines of a diff that nobody has changed since. */
export function diffNotesToMove(db: Reader, { type, id }: Pick<Target, 'type' | 'id'>): Promise<NoteRow[]> {
  return standing.all(db, { type, id, limit: maxNotes });
}

/** Says where the lines of notes are by now. */
export async function moveNotes(
  trx: Writer,
  ids: readonly number[],
  { position, lineCode }: { readonly position: object; readonly lineCode: string | null },
): Promise<void> {
  const change = { position: JSON.stringify(position), line_code: lineCode };
  await trx.updateTable('notes').set(change).where('id', 'in', ids).execute();
}

/** Says that the lines of notes are no longer what they were. */
export async function outdateNotes(trx: Writer, ids: readonly number[], changed: object): Promise<void> {
  const change = { change_position: JSON.stringify(changed) };
  await trx.updateTable('notes').set(change).where('id', 'in', ids).execute();
}
