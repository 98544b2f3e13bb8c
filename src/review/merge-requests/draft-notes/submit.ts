import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { notes } from '../../../planning/notes/public.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { mayReview, reviewIn } from '../approvals/verdict.ts';
import { noteableRequest } from '../noteable.ts';
import { requireRequest } from '../service.ts';
import { publishDrafts } from './publish.ts';
import type { SubmittedParams } from './schema.ts';

/** Publishes a review with an optional summary note and verdict. */
export async function submitReview(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, note, internal = false, reviewer_state: verdict }: SubmittedParams,
): Promise<void> {
  if (!subject.can('read_merge_request')) throw NotFound.record();
  const state = await requireRequest(services, subject, iid);
  const reviews = mayReview(caller, subject, state);
  // A verdict of the author who was not requested as reviewer is ignored, not rejected.
  const isAuthor = state.request.author_id === caller.user.id;
  if (verdict === 'requested_changes' && !reviews && !isAuthor) throw new Forbidden();
  if (note !== undefined) notes.checkBody(note);
  await publishDrafts(services, caller, subject, iid);
  if (note !== undefined) {
    const noteable = await noteableRequest(services, caller, subject, iid);
    await notes.postNote(services, caller, noteable, { body: note, internal });
  }
  if (verdict && reviews) {
    await services.db.write((trx) => reviewIn(services, trx, caller, state.request.id, verdict));
  }
}
