import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { NoteRow } from '../tables.ts';

/** Maximum number of notes in a thread, because threads are always returned whole. */
export const maxNotesInThread = 5000;

const ofThreads = statement((db, param: Param<{ ids: readonly string[] }>) =>
  db.selectFrom('notes').selectAll().where('discussion_id', 'in', param.texts('ids')).orderBy('id'),
);

/** Notes by thread, oldest first. */
export async function notesOfThreads(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, NoteRow[]>> {
  const rows = ids.length === 0 ? [] : await ofThreads.all(db, { ids });
  return Map.groupBy(rows, ({ discussion_id }) => discussion_id);
}

/** Turns an individual note into the first note of a thread. */
export async function beginThread(trx: Writer, noteId: number): Promise<void> {
  await trx
    .updateTable('notes')
    .set({ type: 'DiscussionNote' })
    .where('id', '=', noteId)
    .where('type', 'is', null)
    .execute();
}

/** Resolves or unresolves notes; notes already in that state keep who resolved them and when. */
export async function setResolved(trx: Writer, ids: readonly number[], by: number | null, at: number): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('notes')
    .set({ resolved_at: by === null ? null : at, resolved_by_id: by })
    .where('id', 'in', ids)
    .where('resolved_at', by === null ? 'is not' : 'is', null)
    .execute();
}
