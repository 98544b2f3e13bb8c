import type { Services } from '../../../access/services.ts';
import type { Noteable, NoteRow } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { requestById } from '../store.ts';
import { readPosition } from './stored-position.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A merge request has a new version, and its diff notes have to be moved to it. */
    'merge-requests.move-notes': { id: number };
  }
}

export async function enqueueMoveNotes({ queue }: Services, trx: Writer, id: number): Promise<void> {
  await queue.enqueue(trx, 'merge-requests.move-notes', { id }, { dedupeKey: `${id}` });
}

/** Enqueues moving a new diff note that was created on an older version, or between two versions, to the newest one. */
export async function followNewNote(
  services: Services,
  trx: Writer,
  { action, note, noteable }: { readonly action: string; readonly note: NoteRow; readonly noteable: Noteable },
): Promise<void> {
  if (action !== 'create' || noteable.target.type !== 'MergeRequest' || note.position === null) return;
  const request = await requestById(trx, noteable.target.id);
  if (!request) return;
  const { head_sha, base_sha } = readPosition(note.position);
  if (head_sha === request.head_sha && base_sha === request.base_sha) return;
  await enqueueMoveNotes(services, trx, request.id);
}
