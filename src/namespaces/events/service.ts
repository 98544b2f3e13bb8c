import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { basicUsers, userByIdOrName } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { audiencesIn } from './audience.ts';
import { activeProjects, type EventFilter, type EventScope, eventsByDay, listEvents } from './list.ts';
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
  const { rows, total, hasNext } = await listEvents(db.read, actor, scope, filter, slice);
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.author_id),
    externalUrl,
  );
  const notes = await notesOf(services, rows);
  return new Page(rows, total, hasNext).map((row) => presentEvent(row, authors, notes));
}

/** Lists the caller's events or, with `scope=all`, all events in the caller's projects. */
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

/** Lists the events of a project that are visible to the actor. */
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

/** Maximum number of projects merged into a group feed. */
const maxProjects = 20;

/**
 * Lists recent events in a group hierarchy that are visible to the actor, taken from the most recently active projects.
 */
export async function groupEvents(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  filter: EventFilter,
  slice: Slice,
): Promise<Page<EventEntity>> {
  const projectIds = await activeProjects(services.db.read, actor, group.id, maxProjects);
  return eventPage(services, actor, { projectIds }, filter, slice);
}

/** Lists a user's events that are visible to the actor. */
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

const dayMs = 24 * 60 * 60 * 1000;
const daysOfYear = 366;

/** Counts a user's events visible to the actor for each day of the last year. */
export async function userCalendar({ db }: Services, actor: Actor, id: string): Promise<Record<string, number>> {
  const user = await userByIdOrName(db.read, id);
  if (!showsActivity(actor, user)) throw new NotFound('User');
  const today = Math.floor(Date.now() / dayMs);
  const days = await eventsByDay(db.read, actor, user.id, (today - daysOfYear + 1) * dayMs);
  return Object.fromEntries(days.map(({ day, count }) => [new Date(day * dayMs).toISOString().slice(0, 10), count]));
}
