import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import { commenterIds } from '../../planning/notes/public.ts';
import { subscribe } from '../../planning/subscriptions/public.ts';
import { createTodo, type TodoEntity } from '../../planning/todos/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Forbidden, NotModified } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { mayUpdate } from './access.ts';
import { requestTarget } from './changes/records.ts';
import { presentDetail } from './detail.ts';
import type { DetailEntity } from './schema.ts';
import { isSubscribed, requireRequest } from './service.ts';
import { reviewers } from './store.ts';

/** Subscribes the caller to a merge request or unsubscribes them; 304 if nothing changes. */
export async function setSubscribed(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  subscribed: boolean,
): Promise<DetailEntity> {
  const state = await requireRequest(services, subject, iid);
  if (!mayUpdate(caller, subject, state.request, state.assigneeIds)) throw new Forbidden();
  if ((await isSubscribed(services.db.read, caller, state)) === subscribed) throw new NotModified();
  await subscribe(services, caller, requestTarget(state.request), subscribed);
  return presentDetail(services, caller, subject, state);
}

/** Lists the participants of a merge request: its author, assignees, reviewers and commenters. */
export async function listParticipants(
  services: Services,
  _caller: Actor,
  subject: ProjectSubject,
  iid: number,
  { offset, perPage }: Slice,
): Promise<Page<BasicUserEntity>> {
  const { request, assigneeIds, reviewerIds } = await requireRequest(services, subject, iid);
  const { read } = services.db;
  const commenting = await commenterIds(read, requestTarget(request), subject.can('read_internal_note'));
  const ids = [...new Set([request.author_id, ...assigneeIds, ...reviewerIds, ...commenting])];
  const shown = ids.slice(offset, offset + perPage);
  const users = await basicUsers(read, shown, services.externalUrl);
  return new Page(
    shown.flatMap((id) => users.get(id) ?? []),
    ids.length,
  );
}

/** Lists the reviewers with the state of their review. */
export async function listReviewers(services: Services, subject: ProjectSubject, iid: number) {
  const { request } = await requireRequest(services, subject, iid);
  const { read } = services.db;
  const rows = (await reviewers(read, [request.id])).get(request.id) ?? [];
  const users = await basicUsers(
    read,
    rows.map(({ user_id }) => user_id),
    services.externalUrl,
  );
  return rows.flatMap(({ user_id, state, created_at }) => {
    const user = users.get(user_id);
    return user ? [{ user, state, created_at: instant(created_at) }] : [];
  });
}

/** Creates a to-do item for a merge request. */
export async function createRequestTodo(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TodoEntity> {
  const { request } = await requireRequest(services, subject, iid);
  return createTodo(services, caller, requestTarget(request));
}
