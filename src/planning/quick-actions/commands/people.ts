import type { People } from '../arguments.ts';
import { type Command, type CommandResult, type Context, command, joinWords, plannableKinds } from '../command.ts';
import type { Person } from '../findings.ts';

const MAX_PEOPLE_ON_AN_ITEM = 200;

const wantsPeople = (people: People | null) => ({ usernames: people?.usernames ?? [] });
const mentions = (people: readonly Person[]) => joinWords(people.map(({ username }) => `@${username}`));

/** Resolves the users of an argument; fails if any of them is not found. */
function findPeople(people: People, { found, writer }: Context): Person[] | { failure: string } {
  const missing = people.usernames.filter((name) => found.person(name) === undefined);
  if (missing.length > 0)
    return { failure: `Failed to find users for ${joinWords(missing.map((name) => `@${name}`))}` };
  const all = [...(people.me ? [writer] : []), ...people.usernames.flatMap((name) => found.person(name) ?? [])];
  return [...new Map(all.map((person) => [person.id, person])).values()];
}

type Role = 'assignee' | 'reviewer';
const columns = { assignee: 'assignee_ids', reviewer: 'reviewer_ids' } as const;
const current = (role: Role, { subject }: Context) =>
  (role === 'assignee' ? subject.assignees : subject.reviewers) ?? [];
const plural = (role: Role, count: number) => (count === 1 ? role : `${role}s`);

function add(role: Role, replacing: boolean) {
  return (
    people: People,
    context: Context,
    changes: { [Column in (typeof columns)[Role]]?: number[] },
  ): CommandResult => {
    const found = findPeople(people, context);
    if (!Array.isArray(found)) return found;
    const before = replacing ? [] : (changes[columns[role]] ?? current(role, context).map(({ id }) => id));
    const ids = [...new Set([...before, ...found.map(({ id }) => id)])];
    if (ids.length > MAX_PEOPLE_ON_AN_ITEM)
      return { failure: `Cannot have more than ${MAX_PEOPLE_ON_AN_ITEM} ${role}s` };
    changes[columns[role]] = ids;
    if (replacing) return `Changed ${role}(s) to ${mentions(found)}.`;
    return role === 'assignee'
      ? `Assigned ${mentions(found)}.`
      : `Assigned ${mentions(found)} as ${plural(role, found.length)}.`;
  };
}

function remove(role: Role) {
  return (
    people: People | null,
    context: Context,
    changes: { [Column in (typeof columns)[Role]]?: number[] },
  ): CommandResult => {
    const found = people === null ? [...current(role, context)] : findPeople(people, context);
    if (!Array.isArray(found)) return found;
    const removedIds = new Set(found.map(({ id }) => id));
    const before = changes[columns[role]] ?? current(role, context).map(({ id }) => id);
    changes[columns[role]] = people === null ? [] : before.filter((id) => !removedIds.has(id));
    return found.length === 0 ? undefined : `Removed ${plural(role, found.length)} ${mentions(found)}.`;
  };
}

/** Commands for assignees and reviewers. */
export const peopleCommands: readonly Command[] = [
  command({
    name: 'assign',
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'people',
    wants: wantsPeople,
    run: add('assignee', false),
  }),
  command({
    name: 'reassign',
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'people',
    wants: wantsPeople,
    run: add('assignee', true),
  }),
  command({
    name: 'unassign',
    aliases: ['remove_assignee'],
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'maybePeople',
    when: ({ subject }) => (subject.assignees ?? []).length > 0,
    wants: wantsPeople,
    run: remove('assignee'),
  }),
  command({
    name: 'assign_reviewer',
    aliases: ['reviewer'],
    on: ['merge_request'],
    right: 'set_metadata',
    argument: 'people',
    wants: wantsPeople,
    run: add('reviewer', false),
  }),
  command({
    name: 'reassign_reviewer',
    on: ['merge_request'],
    right: 'set_metadata',
    argument: 'people',
    wants: wantsPeople,
    run: add('reviewer', true),
  }),
  command({
    name: 'unassign_reviewer',
    aliases: ['remove_reviewer'],
    on: ['merge_request'],
    right: 'set_metadata',
    argument: 'maybePeople',
    when: ({ subject }) => (subject.reviewers ?? []).length > 0,
    wants: wantsPeople,
    run: remove('reviewer'),
  }),
  command({
    name: 'request_review',
    on: ['merge_request'],
    right: 'set_metadata',
    argument: 'people',
    wants: wantsPeople,
    run: (people, context, changes) => {
      const found = findPeople(people, context);
      if (!Array.isArray(found)) return found;
      changes.request_review_ids = [...new Set([...(changes.request_review_ids ?? []), ...found.map(({ id }) => id)])];
      return `Requested a review from ${mentions(found)}.`;
    },
  }),
];
