import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/job.ts';
import { referenceKey, resolveReferences, usersNamed } from '../markdown/public.ts';
import { addCrossReference, type MentionSource } from '../notes/public.ts';
import { lockTarget, type Target } from '../target.ts';
import { addTodo } from '../todos/public.ts';
import { mentionedInCommit, mentionedItems, type TextSource } from './cross-reference.ts';
import type { MentioningItem, MentionsPayload } from './schedule.ts';
import { membersOf, mentionableGroups } from './store.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A title, description or note was changed and mentions users it did not mention before. */
    'mentions.added': {
      readonly target: Target;
      readonly noteId: number | null;
      readonly actorId: number;
      readonly userIds: readonly number[];
    };
  }
}

/**
 * Processes scheduled mentions in one transaction with the completion of the job, so that they take effect exactly
 * once.
 */
export async function processMentions(services: Services, job: Job<MentionsPayload>): Promise<void> {
  const { thing, actorId, noteId, internal, references } = job.payload;
  const { read } = services.db;
  const user = await findUser(read, actorId);
  if (!user) return;
  const author = actorOnBehalfOf(user);
  const place = await placeOf(services, author, thing);
  const items = await mentionedItems(services, author, place, references);
  const mentionedUsers = await findMentionedUsers(services, author, place, job.payload);
  await services.db.write(async (trx) => {
    // The text has been deleted in the meantime.
    if (!(await isThere(trx, thing.target, noteId))) return job.finish(trx);
    for (const { target, backPath } of items) {
      if (internal || 'page' in thing) break;
      if (target.type === thing.target.type && target.id === thing.target.id) continue;
      await addCrossReference(trx, target, sourceOf(thing), actorId, mentionedIn(thing, backPath));
    }
    for (const { userId, action } of mentionedUsers) {
      const todo = { userId, authorId: actorId, target: thing.target, action };
      await addTodo(trx, noteId === null ? todo : { ...todo, noteId });
    }
    if (job.payload.changed && mentionedUsers.length > 0) {
      const userIds = mentionedUsers.map(({ userId }) => userId);
      await services.announce(trx, 'mentions.added', { target: thing.target, noteId, actorId, userIds });
    }
    await job.finish(trx);
  });
}

async function isThere(trx: Writer, target: Target, noteId: number | null): Promise<boolean> {
  return (await lockTarget(trx, target)) && (noteId === null || (await lockTarget(trx, { type: 'Note', id: noteId })));
}

async function placeOf(
  { db: { read } }: Services,
  author: SignedInActor,
  { target: { project_id, namespace_id } }: MentioningItem,
): Promise<TextSource> {
  const project = project_id === null ? undefined : await findProject(read, project_id);
  const group = namespace_id === null ? undefined : await lookUpNamespace(read, String(namespace_id));
  return {
    project: project && (await projectSubject(read, author, project)),
    group: group && (await groupSubject(read, author, group)),
  };
}

function sourceOf(thing: MentioningItem): MentionSource {
  const { target } = thing;
  if (!('commit' in thing) || target.project_id === null) return { target };
  return { commit: thing.commit, projectId: target.project_id };
}

/** System note on items that a text mentions. */
function mentionedIn(thing: Exclude<MentioningItem, { page: true }>, backPath: string): string {
  if (!('commit' in thing)) return `mentioned in ${thing.noun} ${backPath}${thing.sign}${thing.iid}`;
  return mentionedInCommit(thing.commit, backPath);
}

interface MentionedUser {
  readonly userId: number;
  readonly action: 'mentioned' | 'directly_addressed';
}

/** Mentioned users who can read the text. */
async function findMentionedUsers(
  services: Services,
  author: SignedInActor,
  place: TextSource,
  { thing, names, addressed, all, internal }: MentionsPayload,
): Promise<MentionedUser[]> {
  const { read } = services.db;
  const lower = names.map((name) => name.toLowerCase());
  const directly = new Set(addressed.map((name) => name.toLowerCase()));
  const people = await usersNamed(
    read,
    lower.filter((name) => !name.includes('/')),
  );
  const actions = new Map<number, MentionedUser['action']>();
  for (const id of await membersMentioned(services, author, place, { names, all })) actions.set(id, 'mentioned');
  for (const { id, username } of people) {
    actions.set(id, directly.has(username.toLowerCase()) ? 'directly_addressed' : 'mentioned');
  }
  actions.delete(author.user.id);
  const mentionedUsers: MentionedUser[] = [];
  for (const [userId, action] of actions) {
    if (await canRead(services, place, thing.target, userId, internal)) mentionedUsers.push({ userId, action });
  }
  return mentionedUsers;
}

/** Members of the groups mentioned in a text, and for `@all` the members of the project or group. */
export async function membersMentioned(
  services: Services,
  author: SignedInActor,
  { project, group }: TextSource,
  { names, all }: { readonly names: readonly string[]; readonly all: boolean },
): Promise<number[]> {
  const groupIds = await groupsNamed(services, author, project, names);
  if (all && group) groupIds.push(group.group.id);
  return membersOf(services.db.read, { groupIds, projectId: all ? (project?.project.id ?? null) : null });
}

async function groupsNamed(
  services: Services,
  author: SignedInActor,
  project: ProjectSubject | undefined,
  names: readonly string[],
): Promise<number[]> {
  const references = names.map((name) => ({ type: 'user' as const, name }));
  const resolved = await resolveReferences(services, author, project, references);
  const named = references.flatMap((reference) => resolved.get(referenceKey(reference))?.groupId ?? []);
  return mentionableGroups(services.db.read, named);
}

async function canRead(
  services: Services,
  { project, group }: TextSource,
  target: MentionsPayload['thing']['target'],
  userId: number,
  internal: boolean,
): Promise<boolean> {
  const { read } = services.db;
  const user = await findUser(read, userId);
  if (user?.state !== 'active') return false;
  const reader = actorOnBehalfOf(user);
  if (internal) {
    const inProject = project && (await projectSubject(read, reader, project.project));
    const inGroup = group && (await groupSubject(read, reader, group.group));
    if (!inProject?.can('read_internal_note') && !inGroup?.can('read_internal_note')) return false;
  }
  const presenter = services.contributions('todos.targets').find(({ type }) => type === target.type);
  return presenter !== undefined && (await presenter.present(services, reader, [target.id])).has(target.id);
}
