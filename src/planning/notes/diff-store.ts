import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Target } from '../target.ts';
import type { NoteRow } from './tables.ts';

/** Maximum number of notes per noteable. */
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

/** Diff notes whose lines have not changed since. */
export function diffNotesToMove(db: Reader, { type, id }: Pick<Target, 'type' | 'id'>): Promise<NoteRow[]> {
  return standing.all(db, { type, id, limit: maxNotes });
}

/** Updates the position of diff notes in the current diff. */
export async function moveNotes(
  trx: Writer,
  ids: readonly number[],
  { position, lineCode }: { readonly position: object; readonly lineCode: string | null },
): Promise<void> {
  const change = { position: JSON.stringify(position), line_code: lineCode };
  await trx.updateTable('notes').set(change).where('id', 'in', ids).execute();
}

/** Marks diff notes as outdated. */
export async function outdateNotes(trx: Writer, ids: readonly number[], changed: object): Promise<void> {
  const change = { change_position: JSON.stringify(changed) };
  await trx.updateTable('notes').set(change).where('id', 'in', ids).execute();
}
