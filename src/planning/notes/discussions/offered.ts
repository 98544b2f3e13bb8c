/**
 * Threads, for every area that has something to comment on. An area declares its own paths and hands each call on, as it
 * does for notes, with the `Noteable` that it made for the caller:
 *
 * ```ts
 * route({
 *   method: 'POST',
 *   path: '/projects/:id/merge_requests/:merge_request_iid/discussions',
 *   params: { ...oneMergeRequest, ...discussions.newThread, position: param.hash(discussions.position) },
 *   answers: discussions.threadAnswers,
 *   handle: async ({ caller, subject, params, reply }) =>
 *     notes.answered(
 *       reply,
 *       await discussions.createDiscussion(services, caller, await found(caller, subject, params), params, place),
 *     ),
 * })
 * ```
 *
 * `place` is for diffs alone, of merge requests and commits: `positionInDiff` checks the position that was sent against the
 * diff that the area has, and gives it back as it is to be kept. Without one the thread is a plain one. Threads are resolved where
 * `noteable.resolvable` says so; 'discussion.resolved' is announced, for areas that ask whether all of them are.
 */
export type { DiffPosition } from '../noteable.ts';
export { type DiffLine, lineCode, placeOf } from './line-code.ts';
export { positionInDiff } from './place.ts';
export * from './schema.ts';
export {
  createDiscussion,
  deleteThreadNote,
  getDiscussion,
  getThreadNote,
  listDiscussions,
  listThreadNotes,
  replyTo,
  resolveDiscussion,
  resolveIfAllowed,
  updateThreadNote,
} from './service.ts';
