import Type from 'typebox';
import { type Actor, isAdmin } from '../../../access/actor.ts';
import { hidesProfiles } from '../../../access/application-settings/visibility.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { Gate } from '../../../platform/http/endpoint.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { allOrNoneOf, param } from '../../../platform/http/params.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { listUsers } from './list-service.ts';
import { list, VisibleSelf, VisibleUser } from './schema.ts';
import { getSelf, getUser } from './service.ts';

const tag = 'users';

/**
 * Allows unauthenticated callers to look up a single user by username, unless the instance restricts public profiles.
 */
const anyoneByName = ({ settings }: Services): Gate<Actor, undefined> => ({
  asks: { subject: 'anyone' },
  async enter(actor, params) {
    if (actor.user !== null) return;
    if (!params.username || hidesProfiles(settings.known() ?? (await settings.read()))) {
      throw new Forbidden('Not authorized to access /api/v4/users');
    }
  },
});

export function profileRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/users',
      tag,
      summary: 'List users',
      gate: anyoneByName(services),
      scopes: ['read_user'],
      params: list,
      rules: [allOrNoneOf('extern_uid', 'provider')],
      paginated: true,
      responses: { 200: Type.Array(VisibleUser) },
      handle: ({ caller, params, page }) => listUsers(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)',
      tag,
      summary: 'Get a user',
      gate: users.known,
      scopes: ['read_user'],
      params: { ...numbered, with_custom_attributes: param.boolean() },
      responses: { 200: VisibleUser },
      handle: ({ caller, subject, params }) =>
        getUser(services, caller, subject.id, isAdmin(caller) && params.with_custom_attributes === true),
    }),
    route({
      method: 'GET',
      path: '/user',
      tag,
      summary: 'Get the current user',
      gate: gates.signedIn,
      scopes: ['read_user'],
      params: {},
      responses: { 200: VisibleSelf },
      handle: ({ caller }) => getSelf(services, caller),
    }),
  ];
}
