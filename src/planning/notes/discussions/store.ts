import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { NoteRow } from '../tables.ts';

/** A thread grows no further than this: it is always answered whole. */
export const maxNotesInThread = 5000;

const ofThreads = statement((db, param: Param<{ ids: readonly string[] }>) =>
  db.selectFrom('notes').selectAll().where('discussion_id', 'in', param.texts('ids')).orderBy('id'),
);

/** The notes of threads, oldest first, by the thread. */
export async function notesOfThreads(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, NoteRow[]>> {
  const rows = ids.length === 0 ? [] : await ofThreads.all(db, { ids });
  return Map.groupBy(rows, ({ discussion_id }) => discussion_id);
}

/** A plain comment that somebody replies to begins a thread. */
export async function beginThread(trx: Writer, noteId: number): Promise<void> {
  await trx
    .updateTable('notes')
    .set({ type: 'DiscussionNote' })
    .where('id', '=', noteId)
    .where('type', 'is', null)
    .execute();
}

/** Marks notes as resolved, or takes that back; those that are so already keep who said it, and when. */
export async function setResolved(trx: Writer, ids: readonly number[], by: number | null, at: number): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('notes')
    .set({ resolved_at: by === null ? null : at, resolved_by_id: by })
    .where('id', 'in', ids)
    .where('resolved_at', by === null ? 'is not' : 'is', null)
    .execute();
}
