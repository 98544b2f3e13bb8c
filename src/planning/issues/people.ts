import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotModified } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { commenterIds } from '../notes/public.ts';
import { subscribe } from '../subscriptions/public.ts';
import { createTodo, type TodoEntity } from '../todos/public.ts';
import { targetOf } from './changes/records.ts';
import type { IssueEntity } from './schema.ts';
import { isSubscribed, presentIssue, readableIssue } from './service.ts';

/** Subscribes the caller to an issue or unsubscribes them; 304 if nothing changes. */
export async function setSubscribed(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  subscribed: boolean,
): Promise<IssueEntity> {
  const state = await readableIssue(services, caller, subject, iid);
  if ((await isSubscribed(services.db.read, caller, state)) === subscribed) throw new NotModified();
  await subscribe(services, caller, targetOf(state.issue), subscribed);
  return presentIssue(services, caller, state, { path: subject.fullPath, subscribed });
}

/** Lists the participants of an issue: its author, assignees and commenters. */
export async function listParticipants(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  { offset, perPage }: Slice,
): Promise<Page<BasicUserEntity>> {
  const { issue, assigneeIds } = await readableIssue(services, caller, subject, iid);
  const { read } = services.db;
  const internal = subject.can('read_internal_note');
  const commenting = await commenterIds(read, targetOf(issue), internal);
  const ids = [...new Set([issue.author_id, ...assigneeIds, ...commenting])];
  const shown = ids.slice(offset, offset + perPage);
  const users = await basicUsers(read, shown, services.externalUrl);
  return new Page(
    shown.flatMap((id) => users.get(id) ?? []),
    ids.length,
  );
}

/** Creates a to-do item for an issue. */
export async function createIssueTodo(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TodoEntity> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  return createTodo(services, caller, targetOf(issue));
}
