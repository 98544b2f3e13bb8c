/**
 * Threads, for every area with noteables. An area passes the lookup of its noteables to `threadOperations` and gives
 * each operation a method and a path:
 *
 * ```ts const threads = discussions.threadOperations(services, { what: 'an issue', gate, params: oneIssue, found });
 * route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/discussions', ...threads.list }) ```
 *
 * Merge requests and commits create threads on diff lines themselves: `positionInDiff` validates the sent position
 * against the diff and returns it in stored form, for `createDiscussion`. Threads are resolvable if
 * `noteable.resolvable` is set; 'discussion.resolved' is announced for areas that depend on whether all threads are
 * resolved.
 */
export type { DiffPosition } from '../noteable.ts';
export { type DiffLine, findLinePair, lineCode } from './line-code.ts';
export { threadOperations } from './operations.ts';
export { positionInDiff } from './place.ts';
export * from './schema.ts';
export { createDiscussion, getDiscussion, listDiscussions, replyTo, resolveIfAllowed } from './service.ts';
