import type { Entity } from '../../platform/http/in-process.ts';
import type { Asking } from '../engine/asking.ts';
import { connectionTypes, listed, listOf, pageArguments } from '../engine/connection.ts';
import { type GlobalId, globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';

/** What is told of everybody. */
export const userFields = `
  active: Boolean
  avatarUrl: String
  bio: String
  bot: Boolean!
  createdAt: Time
  email: String @deprecated(reason: "Ask for publicEmail.")
  human: Boolean
  id: ID!
  jobTitle: String
  lastActivityOn: String
  location: String
  name: String!
  publicEmail: String
  pronouns: String
  state: UserState!
  username: String!
  webPath: String!
  webUrl: String!
`;

/** What a list of people tells no more of than their names: the rest is asked for. */
const detail =
  (name: string): Resolve =>
  async (user, _given, asking) =>
    (name in user ? user : await userById(asking, user.id))?.[name] ?? null;

/** Somebody by their number. */
export function userById(asking: Asking, id: string | number): Promise<Entity | null> {
  return asking.read(`/users/${id}`);
}

async function userByName(asking: Asking, username: string): Promise<Entity | null> {
  return (await asking.read('/users', { username }))?.[0] ?? null;
}

export async function usersNamed(
  asking: Asking,
  ids: readonly GlobalId[],
  names: readonly string[],
): Promise<Entity[]> {
  const wanted = [...ids.map(({ id }) => userById(asking, id)), ...names.map((name) => userByName(asking, name))];
  return (await Promise.all(wanted)).filter((user) => user !== null);
}

export const pathOf = (address: string | null) => (address === null ? null : new URL(address).pathname);

export const users: Part = {
  types: `
    extend type Query {
      currentUser: CurrentUser
      user(id: UserID, username: String): UserCore
      users(ids: [UserID!], usernames: [String!], search: String, admins: Boolean, active: Boolean, humans: Boolean, ${pageArguments}): UserCoreConnection
    }
    enum UserState { active banned blocked blocked_pending_approval deactivated ldap_blocked }
    "Somebody who has an account."
    interface User { ${userFields} }
    type UserCore implements User { ${userFields} }
    "Whoever asks."
    type CurrentUser implements User { ${userFields} commitEmail: String }
    ${connectionTypes('UserCore', 'count: Int!')}
  `,
  kinds: { User: () => 'UserCore' },
  fields: {
    Query: {
      currentUser: (_source, _given, asking) => (asking.caller.user ? asking.read('/user') : null),
      user: (_source, { id, username }, asking) => {
        if (id) return userById(asking, id.id);
        return username ? userByName(asking, username) : null;
      },
      users: async (_source, { ids, usernames, search, admins, active, humans, ...page }, asking) => {
        if (ids || usernames) return listOf(await usersNamed(asking, ids ?? [], usernames ?? []), page);
        return listed(asking, '/users', page, { query: { search, admins, active, humans } });
      },
    },
    User: {
      id: ({ id }) => globalId('User', id),
      active: ({ state }) => state === 'active',
      bio: detail('bio'),
      bot: async (user, given, asking, info) => (await detail('bot')(user, given, asking, info)) ?? false,
      human: async (user, given, asking, info) => !(await detail('bot')(user, given, asking, info)),
      createdAt: detail('created_at'),
      email: detail('public_email'),
      publicEmail: detail('public_email'),
      jobTitle: detail('job_title'),
      lastActivityOn: detail('last_activity_on'),
      location: detail('location'),
      pronouns: detail('pronouns'),
      webPath: ({ web_url }) => pathOf(web_url),
    },
  },
};
