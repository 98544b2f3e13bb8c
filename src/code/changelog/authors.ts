import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import { usersByAddress } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { ChangelogCommit } from './history.ts';
import { mergeRequestLookup } from './merge-requests.ts';
import type { Author } from './section.ts';
import { membersOfGroups } from './store.ts';

/** Returns the authors of these commits by commit ID, and whether to credit them. */
export async function authorsOf(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  listed: readonly ChangelogCommit[],
  groupPaths: readonly string[],
): Promise<ReadonlyMap<string, Author>> {
  const { read } = services.db;
  const addressOf = ({ commit }: ChangelogCommit) => commit.author.email.toLowerCase();
  const emails = [...new Set(listed.map(addressOf))];
  if (emails.length === 0) return new Map();
  const users = new Map((await usersByAddress(read, emails)).map((row) => [row.email, row]));
  const ids = [...new Set([...users.values()].map((user) => user.id))];
  const [credited, contributors] = await Promise.all([
    membersOf(read, actor, groupPaths, ids),
    mergeRequestLookup(services)?.contributors(services, subject, ids) ?? new Set<number>(),
  ]);
  return new Map(
    listed.flatMap((each) => {
      const user = users.get(addressOf(each));
      if (!user) return [];
      const contributor = contributors.has(user.id);
      const author = { username: user.username, contributor, credit: contributor || credited.has(user.id) };
      return [[each.commit.oid, author]];
    }),
  );
}

/** Returns which of these users are direct members of the groups the caller can read. */
async function membersOf(
  db: Reader,
  actor: Actor,
  paths: readonly string[],
  users: readonly number[],
): Promise<ReadonlySet<number>> {
  const groups: number[] = [];
  for (const path of paths) {
    const group = await lookUpNamespace(db, path);
    if (group?.kind === 'group' && (await groupSubject(db, actor, group)).can('read_group')) groups.push(group.id);
  }
  if (groups.length === 0 || users.length === 0) return new Set();
  return membersOfGroups(db, groups, users);
}
