import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { basicUsers, userByIdOrName } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { audiencesIn } from './audience.ts';
import { type EventFilter, type EventScope, listEvents } from './list.ts';
import { notesOf } from './notes.ts';
import { presentEvent } from './present.ts';
import type { EventEntity } from './schema.ts';

async function eventPage(
  services: Services,
  actor: Actor,
  scope: EventScope,
  filter: EventFilter,
  slice: Slice,
): Promise<Page<EventEntity>> {
  const { db, externalUrl } = services;
  const { rows, total } = await listEvents(db.read, actor, scope, filter, slice);
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.author_id),
    externalUrl,
  );
  const notes = await notesOf(services, rows);
  return new Page(rows, total).map((row) => presentEvent(row, authors, notes));
}

/** What the caller did; with `scope=all`, everything in the projects they belong to. */
export function ownEvents(
  services: Services,
  actor: SignedInActor,
  filter: EventFilter & { readonly scope?: string },
  slice: Slice,
): Promise<Page<EventEntity>> {
  const { id } = actor.user;
  const scope = filter.scope === 'all' ? { memberId: id } : { authorId: id };
  return eventPage(services, actor, scope, filter, slice);
}

/** What happened in a project, as far as the actor may see it. */
export function projectEvents(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  filter: EventFilter,
  slice: Slice,
): Promise<Page<EventEntity>> {
  const scope = { projectId: subject.project.id, audiences: audiencesIn(subject) };
  return eventPage(services, actor, scope, filter, slice);
}

/** What somebody did, as far as the actor may see it. */
export async function userEvents(
  services: Services,
  actor: Actor,
  id: string,
  filter: EventFilter,
  slice: Slice,
): Promise<Page<EventEntity>> {
  const user = await userByIdOrName(services.db.read, id);
  if (!showsActivity(actor, user)) throw new NotFound('User');
  return eventPage(services, actor, { authorId: user.id }, filter, slice);
}

function showsActivity(actor: Actor, user: User): boolean {
  return user.private_profile === 0 || actor.user?.id === user.id || isAdmin(actor);
}
