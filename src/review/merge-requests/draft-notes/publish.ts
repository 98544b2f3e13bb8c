import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions, type Noteable, notes } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Forbidden, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { readPosition } from '../discussions/stored-position.ts';
import { noteableRequest } from '../noteable.ts';
import { setReviewState } from '../store.ts';
import { requireDraft, requireReadable } from './service.ts';
import * as store from './store.ts';
import type { DraftNoteRow } from './tables.ts';

/** Makes a draft a note: the one is gone when the other is there, whoever else publishes it at the same time. */
async function publish(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  draft: DraftNoteRow,
): Promise<void> {
  const params = { body: draft.note };
  const { discussion_id: thread } = draft;
  const also = async (trx: Writer) => {
    if (!(await store.deleteDraft(trx, draft.id))) throw NotFound.record();
    if (thread !== null && draft.resolve_discussion === 1) {
      await discussions.resolveIfAllowed(services, trx, caller, noteable, thread);
    }
    await setReviewState(trx, draft.merge_request_id, caller.user.id, 'reviewed', {
      from: ['unreviewed', 'review_started'],
    });
  };
  if (thread !== null) {
    await discussions.replyTo(services, caller, noteable, thread, params, also);
  } else if (draft.position !== null) {
    const commit = draft.commit_id === null ? {} : { commitId: draft.commit_id };
    const place = { position: readPosition(draft.position), lineCode: draft.line_code, ...commit };
    await discussions.createDiscussion(services, caller, noteable, params, place, also);
  } else {
    await notes.say(services, caller, noteable, params, undefined, also);
  }
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

/** Publishes all that the caller has written, oldest first; what cannot be said any more stays a draft. */
export async function publishDrafts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<void> {
  const request = await requireReadable(services, subject, iid);
  const next = (after: number) => store.nextDraft(services.db.read, request.id, caller.user.id, after);
  let refusal: HttpError | undefined;
  for (let draft = await next(0); draft; draft = await next(draft.id)) {
    // What the quick actions of one note change is what those of the next one find.
    const noteable = await noteableRequest(services, caller, subject, iid);
    if (!noteable.may.comment) throw new Forbidden();
    try {
      await publish(services, caller, noteable, draft);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const gone = (await store.findDraft(services.db.read, draft.id)) === undefined;
      if (!gone) refusal ??= error;
    }
  }
  if (refusal) throw refusal;
}
