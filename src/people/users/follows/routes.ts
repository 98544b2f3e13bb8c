import Type from 'typebox';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { UserGates } from '../gates.ts';
import { BasicUser } from '../profiles/schema.ts';
import { numbered } from '../schema.ts';
import { follow, listFollows, unfollow } from './service.ts';

const tag = 'users';
const scopes = ['read_user'];

export function followRoutes(services: Services, users: UserGates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/follow',
      tag,
      summary: 'Follow a user',
      gate: users.signedIn,
      params: numbered,
      responses: { 201: BasicUser, 304: null },
      handle: ({ caller, subject }) => follow(services, caller, subject),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/unfollow',
      tag,
      summary: 'Unfollow a user',
      gate: users.signedIn,
      params: numbered,
      responses: { 201: BasicUser, 304: null },
      handle: ({ caller, subject }) => unfollow(services, caller, subject),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/followers',
      tag,
      summary: 'List followers of a user',
      gate: users.known,
      scopes,
      params: numbered,
      paginated: true,
      responses: { 200: Type.Array(BasicUser) },
      handle: ({ caller, subject, page }) => listFollows(services, caller, subject, 'followers', page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/following',
      tag,
      summary: 'List users followed by a user',
      gate: users.known,
      scopes,
      params: numbered,
      paginated: true,
      responses: { 200: Type.Array(BasicUser) },
      handle: ({ caller, subject, page }) => listFollows(services, caller, subject, 'following', page),
    }),
  ];
}
