/**
 * Threads, for every area that has something to comment on. An area says by `threadOperations` how its things are found,
 * and gives each operation its method and path:
 *
 * ```ts
 * const threads = discussions.threadOperations(services, { what: 'an issue', gate, params: oneIssue, found });
 * route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/discussions', ...threads.list })
 * ```
 *
 * Where a thread may begin on a line of a diff, of merge requests and commits, the area begins it by itself:
 * `positionInDiff` checks the position that was sent against the diff that the area has, and gives it back as it is to be
 * kept, for `createDiscussion`. Threads are resolved where `noteable.resolvable` says so; 'discussion.resolved' is
 * announced, for areas that ask whether all of them are.
 */
export type { DiffPosition } from '../noteable.ts';
export { type DiffLine, lineCode, placeOf } from './line-code.ts';
export { threadOperations } from './operations.ts';
export { positionInDiff } from './place.ts';
export * from './schema.ts';
export { createDiscussion, getDiscussion, listDiscussions, replyTo, resolveIfAllowed } from './service.ts';
