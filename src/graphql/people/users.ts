import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { type GlobalId, globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';

/** The fields of every user. */
export const userFields = `
  active: Boolean
  avatarUrl: String
  bio: String
  bot: Boolean!
  createdAt: Time
  email: String @deprecated(reason: "Use publicEmail.")
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

/** Resolves a field that lists of users omit, by reading the user itself. */
const detail =
  (name: string): Resolve =>
  async (user, _args, context) =>
    (name in user ? user : await userById(context, user.id))?.[name] ?? null;

/** A user by id. */
export function userById(context: ResolverContext, id: string | number): Promise<Entity | null> {
  return context.read(`/users/${id}`);
}

async function userByName(context: ResolverContext, username: string): Promise<Entity | null> {
  return (await context.read('/users', { username }))?.[0] ?? null;
}

export async function usersByIdOrName(
  context: ResolverContext,
  ids: readonly GlobalId[],
  names: readonly string[],
): Promise<Entity[]> {
  const pending = [...ids.map(({ id }) => userById(context, id)), ...names.map((name) => userByName(context, name))];
  return (await Promise.all(pending)).filter((user) => user !== null);
}

export const pathOfUrl = (address: string | null) => (address === null ? null : new URL(address).pathname);

export const users: Part = {
  types: `
    extend type Query {
      currentUser: CurrentUser
      user(id: UserID, username: String): UserCore
      users(ids: [UserID!], usernames: [String!], search: String, admins: Boolean, active: Boolean, humans: Boolean, ${pageArguments}): UserCoreConnection
    }
    enum UserState { active banned blocked blocked_pending_approval deactivated ldap_blocked }
    "A user account."
    interface User { ${userFields} }
    type UserCore implements User { ${userFields} }
    "The signed-in user."
    type CurrentUser implements User { ${userFields} commitEmail: String }
    ${connectionTypes('UserCore', 'count: Int!')}
  `,
  kinds: { User: () => 'UserCore' },
  fields: {
    Query: {
      currentUser: (_source, _args, context) => (context.caller.user ? context.read('/user') : null),
      user: (_source, { id, username }, context) => {
        if (id) return userById(context, id.id);
        return username ? userByName(context, username) : null;
      },
      users: async (_source, { ids, usernames, search, admins, active, humans, ...page }, context) => {
        if (ids || usernames) return listOf(await usersByIdOrName(context, ids ?? [], usernames ?? []), page);
        return restConnection(context, '/users', page, { query: { search, admins, active, humans } });
      },
    },
    User: {
      id: ({ id }) => globalId('User', id),
      active: ({ state }) => state === 'active',
      bio: detail('bio'),
      bot: async (user, args, context, info) => (await detail('bot')(user, args, context, info)) ?? false,
      human: async (user, args, context, info) => !(await detail('bot')(user, args, context, info)),
      createdAt: detail('created_at'),
      email: detail('public_email'),
      publicEmail: detail('public_email'),
      jobTitle: detail('job_title'),
      lastActivityOn: detail('last_activity_on'),
      location: detail('location'),
      pronouns: detail('pronouns'),
      webPath: ({ web_url }) => pathOfUrl(web_url),
    },
  },
};
