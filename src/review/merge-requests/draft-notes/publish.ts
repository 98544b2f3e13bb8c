import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions, type Noteable, type NoteRow, notes } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Forbidden, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { randomToken } from '../../../platform/secrets/tokens.ts';
import { recordNotes } from '../changes/records.ts';
import { readPosition } from '../discussions/stored-position.ts';
import { noteableRequest } from '../noteable.ts';
import { setReviewState } from '../store.ts';
import * as texts from '../system-texts.ts';
import { requireDraft, requireReadable } from './service.ts';
import * as store from './store.ts';
import type { DraftNoteRow } from './tables.ts';

declare module '../../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Notes of a review were published; announced for each note with all note IDs so far. */
    'merge-request.reviewed': {
      readonly requestId: number;
      readonly actorId: number;
      /** Unique ID of the review. */
      readonly review: string;
      readonly noteIds: readonly number[];
    };
  }
}

/** Notes that are published together. */
interface Review {
  readonly id: string;
  readonly noteIds: readonly number[];
}

/**
 * Converts a draft to a note. The draft is deleted in the same transaction, so that concurrent requests publish it only
 * once.
 */
async function publish(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  draft: DraftNoteRow,
  review?: Review,
): Promise<readonly number[]> {
  const params = { body: draft.note };
  const { discussion_id: thread } = draft;
  let noteIds = review?.noteIds ?? [];
  const also = async (trx: Writer, note: NoteRow | undefined) => {
    if (!(await store.deleteDraft(trx, draft.id))) throw NotFound.record();
    if (thread !== null && draft.resolve_discussion === 1) {
      await discussions.resolveIfAllowed(services, trx, caller, noteable, thread);
    }
    await setReviewState(trx, draft.merge_request_id, caller.user.id, 'reviewed', {
      from: ['unreviewed', 'review_started'],
    });
    if (!note || !review) return;
    noteIds = [...review.noteIds, note.id];
    const announcement = { requestId: draft.merge_request_id, actorId: caller.user.id, review: review.id, noteIds };
    await services.announce(trx, 'merge-request.reviewed', announcement);
  };
  if (thread !== null) {
    await discussions.replyTo(services, caller, noteable, thread, params, also);
  } else if (draft.position !== null) {
    const commit = draft.commit_id === null ? {} : { commitId: draft.commit_id };
    const place = { position: readPosition(draft.position), lineCode: draft.line_code, ...commit };
    await discussions.createDiscussion(services, caller, noteable, params, place, also);
  } else {
    await notes.postNote(services, caller, noteable, params, undefined, also);
  }
  return noteIds;
}

export async function publishDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: { merge_request_iid: number; draft_note_id: number },
): Promise<void> {
  const { draft } = await requireDraft(services, caller, subject, params);
  const noteable = await noteableRequest(services, caller, subject, params.merge_request_iid);
  await publish(services, caller, noteable, draft);
}

/** Publishes all of the caller's drafts, oldest first; notes that are rejected remain drafts. */
export async function publishDrafts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<void> {
  const request = await requireReadable(services, subject, iid);
  const next = (after: number) => store.nextDraft(services.db.read, request.id, caller.user.id, after);
  const id = randomToken();
  let noteIds: readonly number[] = [];
  let refusal: HttpError | undefined;
  for (let draft = await next(0); draft; draft = await next(draft.id)) {
    // Loaded for each note, because the quick actions of one note affect the state that the next one sees.
    const noteable = await noteableRequest(services, caller, subject, iid);
    if (!noteable.may.comment) throw new Forbidden();
    try {
      noteIds = await publish(services, caller, { ...noteable, inReview: true }, draft, { id, noteIds });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const deleted = (await store.findDraft(services.db.read, draft.id)) === undefined;
      if (!deleted) refusal ??= error;
    }
  }
  if (noteIds.length > 0) {
    await services.db.write((trx) => recordNotes(trx, request, caller.user.id, [texts.reviewed]));
  }
  if (refusal) throw refusal;
}
