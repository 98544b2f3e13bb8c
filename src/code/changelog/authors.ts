import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Listed } from './history.ts';
import { mergeKnowledge } from './merge-knowledge.ts';
import type { Author } from './section.ts';

const byAddress = statement((db, param: Param<{ emails: readonly string[] }>) =>
  db
    .selectFrom('users')
    .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['users.email']).as('email')])
    .where((eb) => eb(eb.fn<string>('lower', ['users.email']), 'in', param.texts('emails')))
    .where('users.confirmed_at', 'is not', null)
    .unionAll(
      db
        .selectFrom('emails')
        .innerJoin('users', 'users.id', 'emails.user_id')
        .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['emails.email']).as('email')])
        .where((eb) => eb(eb.fn<string>('lower', ['emails.email']), 'in', param.texts('emails')))
        .where('emails.confirmed_at', 'is not', null),
    ),
);
const membersAmong = statement((db, param: Param<{ groups: readonly number[]; users: readonly number[] }>) =>
  db
    .selectFrom('members')
    .select('user_id')
    .where('namespace_id', 'in', param.ids('groups'))
    .where('user_id', 'in', param.ids('users')),
);

/** Who wrote each of these commits, by the id of the commit, and whether to name them. */
export async function authorsOf(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  listed: readonly Listed[],
  groupPaths: readonly string[],
): Promise<ReadonlyMap<string, Author>> {
  const { read } = services.db;
  const addressOf = ({ commit }: Listed) => commit.author.email.toLowerCase();
  const emails = [...new Set(listed.map(addressOf))];
  if (emails.length === 0) return new Map();
  const users = new Map((await byAddress.all(read, { emails })).map((row) => [row.email, row]));
  const ids = [...new Set([...users.values()].map((user) => user.id))];
  const [credited, contributors] = await Promise.all([
    membersOf(read, actor, groupPaths, ids),
    mergeKnowledge(services)?.contributors(services, subject, ids) ?? new Set<number>(),
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

/** Of these users, the direct members of the groups that the caller can read. */
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
  return new Set((await membersAmong.all(db, { groups, users })).map((row) => row.user_id));
}
