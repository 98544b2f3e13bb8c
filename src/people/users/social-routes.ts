import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { param } from '../../platform/http/params.ts';
import { countAssociations, listActivities, listMemberships } from './activity.ts';
import { follow, listFollows, unfollow } from './follows.ts';
import { createUserGates, type UserGates } from './gates.ts';
import { namedOrNumbered, numbered } from './params.ts';
import { presentBasicUser } from './present.ts';
import { Activity, AssociationsCount, BasicUser, Membership, UserStatus } from './schema.ts';
import { getStatus } from './status.ts';
import { readsProfile } from './views.ts';

const tag = 'users';
const reads = ['read_user'];

/** Whom people follow, what they say, where they belong and when they were here. */
export function socialRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  const { db } = services;
  const byName = createUserGates(db, gates, 'user_id');
  return [
    ...followRoutes(services, users),
    route({
      method: 'GET',
      path: '/users/:user_id/status',
      tag,
      summary: 'Get what a user says of themselves at the moment',
      gate: byName.anyone,
      scopes: reads,
      params: namedOrNumbered,
      answers: { 200: UserStatus },
      handle: ({ subject }) => getStatus(db.read, subject.id),
    }),
    route({
      method: 'GET',
      path: '/user/activities',
      tag,
      summary: 'List when users were last here',
      gate: gates.admin,
      scopes: reads,
      params: { from: param.dateTime() },
      paginated: true,
      answers: { 200: Type.Array(Activity) },
      handle: ({ params, page }) => listActivities(db, params.from, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/memberships',
      tag,
      summary: 'List the groups and projects in which a user is a member',
      gate: users.admin,
      scopes: reads,
      params: { ...numbered, type: param.oneOf(['Project', 'Namespace']) },
      paginated: true,
      answers: { 200: Type.Array(Membership) },
      handle: ({ subject, params, page }) => listMemberships(db, subject.id, params.type, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/associations_count',
      tag,
      summary: 'Count what is connected to a user',
      gate: users.selfOrAdmin,
      scopes: reads,
      params: numbered,
      answers: { 200: AssociationsCount },
      handle: ({ subject }) => countAssociations(db, subject.id),
    }),
  ];
}

function followRoutes({ db, externalUrl }: Services, users: UserGates): Route[] {
  const shown = (actor: Actor, user: User) => {
    if (!readsProfile(actor, user)) throw new NotFound('User');
  };
  return [
    ...([follow, unfollow] as const).map((change) =>
      route({
        method: 'POST',
        path: `/users/:id(^\\d+$)/${change.name}`,
        tag,
        summary: change === follow ? 'Follow a user' : 'Unfollow a user',
        gate: users.signedIn,
        params: numbered,
        answers: { 201: BasicUser, 304: null },
        handle: async ({ caller, subject }) => {
          await change(db, caller.user as User, subject);
          return presentBasicUser(subject, externalUrl);
        },
      }),
    ),
    ...(['followers', 'following'] as const).map((side) =>
      route({
        method: 'GET',
        path: `/users/:id(^\\d+$)/${side}`,
        tag,
        summary: side === 'followers' ? 'List those who follow a user' : 'List those whom a user follows',
        gate: users.known,
        scopes: reads,
        params: numbered,
        paginated: true,
        answers: { 200: Type.Array(BasicUser) },
        handle: ({ caller, subject, page }) => {
          shown(caller, subject);
          return listFollows(db, subject, side, page, externalUrl);
        },
      }),
    ),
  ];
}
