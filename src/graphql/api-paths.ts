import { issuesById } from '../planning/issues/public.ts';
import { iterationsById } from '../planning/iterations/public.ts';
import { findNote, notesOfThreads } from '../planning/notes/public.ts';
import { findSnippet } from '../planning/snippets/public.ts';
import type { Reader } from '../platform/database/database.ts';
import { requestsById } from '../review/merge-requests/public.ts';
import type { GlobalId } from './engine/global-ids.ts';

/** The REST API path of a noteable. */
export interface ApiPath {
  readonly kind: 'MergeRequest' | 'Issue' | 'Snippet';
  /** `/projects/1/merge_requests/2`. */
  readonly path: string;
}

/**
 * The REST API path of the object with a global id, because REST paths use internal ids of projects. It does not check
 * access: the API does when it is called.
 */
export async function apiPathOf(db: Reader, { model, id }: GlobalId): Promise<ApiPath | undefined> {
  const number = Number(id);
  if (!Number.isSafeInteger(number)) return undefined;
  if (model === 'MergeRequest') {
    const found = (await requestsById(db, [number])).get(number);
    return found && { kind: 'MergeRequest', path: `/projects/${found.project_id}/merge_requests/${found.iid}` };
  }
  if (model === 'Issue' || model === 'WorkItem') {
    const found = (await issuesById(db, [number])).get(number);
    return found && { kind: 'Issue', path: `/projects/${found.project_id}/issues/${found.iid}` };
  }
  const found = await findSnippet(db, number);
  if (!found) return undefined;
  const path = found.project_id === null ? `/snippets/${number}` : `/projects/${found.project_id}/snippets/${number}`;
  return { kind: 'Snippet', path };
}

interface NoteableReference {
  readonly noteable_type: string;
  readonly noteable_id: number | null;
}

/** The REST API path of the noteable of a note. */
export async function apiPathOfNote(db: Reader, { id }: GlobalId): Promise<ApiPath | undefined> {
  const note = Number.isSafeInteger(Number(id)) ? await findNote(db, Number(id)) : undefined;
  return note && apiPathOfNoteable(db, note);
}

/** The REST API path of the noteable of a discussion. */
export async function apiPathOfThread(db: Reader, { id }: GlobalId): Promise<ApiPath | undefined> {
  const [note] = (await notesOfThreads(db, [id])).get(id) ?? [];
  return note && apiPathOfNoteable(db, note);
}

/** The discussion id of a note. */
export async function threadIdOf(db: Reader, noteId: number): Promise<string | undefined> {
  return (await findNote(db, noteId))?.discussion_id;
}

/** The id of the cadence of an iteration, which the API's iterations do not include. */
export async function cadenceIdOf(db: Reader, iteration: number): Promise<number | undefined> {
  return (await iterationsById(db, [iteration])).get(iteration)?.cadence_id;
}

async function apiPathOfNoteable(
  db: Reader,
  { noteable_type, noteable_id }: NoteableReference,
): Promise<ApiPath | undefined> {
  const known = ['MergeRequest', 'Issue', 'Snippet'].includes(noteable_type) && noteable_id !== null;
  return known ? apiPathOf(db, { model: noteable_type, id: String(noteable_id) }) : undefined;
}
