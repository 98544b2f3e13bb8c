import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { type BasicUserEntity, basicUsers, userByIdOrName } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { audiencesIn } from './audience.ts';
import { actionName } from './event.ts';
import { isOfNote, notesOf, type SaidNote } from './notes.ts';
import type { EventEntity } from './schema.ts';
import { type EventFilter, type EventScope, listEvents } from './store.ts';
import type { EventRow } from './tables.ts';

function present(
  row: EventRow,
  authors: ReadonlyMap<number, BasicUserEntity>,
  notes: ReadonlyMap<number, SaidNote>,
): EventEntity {
  const author = row.author_id === null ? undefined : authors.get(row.author_id);
  const note = isOfNote(row) ? notes.get(row.target_id ?? 0) : undefined;
  return {
    id: row.id,
    project_id: row.project_id,
    action_name: actionName(row),
    target_id: row.target_id,
    target_iid: row.target_iid,
    target_type: row.target_type,
    author_id: row.author_id,
    target_title: row.target_title,
    created_at: instant(row.created_at),
    ...(note ? { note: { ...note, ...(author ? { author } : {}) } } : {}),
    ...(author ? { author } : {}),
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    ...(row.push_action === null ? {} : { push_data: pushData(row) }),
    author_username: author?.username ?? null,
  };
}

function pushData(row: EventRow): NonNullable<EventEntity['push_data']> {
  return {
    commit_count: row.commit_count ?? 0,
    action: row.push_action ?? '',
    ref_type: row.ref_type ?? '',
    commit_from: row.commit_from,
    commit_to: row.commit_to,
    ref: row.ref,
    commit_title: row.commit_title,
    ref_count: row.ref_count,
  };
}

async function page(
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
  return new Page(rows, total).map((row) => present(row, authors, notes));
}

/** What the user did; with `scope=all`, everything in the projects they belong to. */
export function ownEvents(
  services: Services,
  actor: Actor,
  user: User,
  filter: EventFilter & { readonly scope?: string },
  slice: Slice,
): Promise<Page<EventEntity>> {
  const scope = filter.scope === 'all' ? { memberId: user.id } : { authorId: user.id };
  return page(services, actor, scope, filter, slice);
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
  return page(services, actor, scope, filter, slice);
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
  return page(services, actor, { authorId: user.id }, filter, slice);
}

function showsActivity(actor: Actor, user: User): boolean {
  return user.private_profile === 0 || actor.user?.id === user.id || actor.user?.admin === 1;
}
