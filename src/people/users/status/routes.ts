import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { createUserGates } from '../gates.ts';
import { namedOrNumbered } from '../schema.ts';
import { change, UserStatus } from './schema.ts';
import { getStatus, setStatus } from './service.ts';

const tag = 'users';
const scopes = ['read_user'];

export function statusRoutes({ db }: Services, gates: Gates): Route[] {
  const byName = createUserGates(db, gates, 'user_id');
  return [
    route({
      method: 'GET',
      path: '/user/status',
      tag,
      summary: 'Get the status of the current user',
      gate: gates.signedIn,
      scopes,
      params: {},
      responses: { 200: UserStatus },
      handle: ({ subject }) => getStatus(db.read, subject.id),
    }),
    route({
      method: 'PUT',
      path: '/user/status',
      tag,
      summary: 'Set the status of the current user',
      gate: gates.signedIn,
      params: change,
      responses: { 200: UserStatus },
      handle: ({ subject, params }) => setStatus(db, subject.id, params, false),
    }),
    route({
      method: 'PATCH',
      path: '/user/status',
      tag,
      summary: 'Update the status of the current user',
      gate: gates.signedIn,
      params: change,
      responses: { 200: UserStatus },
      handle: ({ subject, params, reply }) =>
        Object.keys(params).length === 0 ? reply.send('') : setStatus(db, subject.id, params, true),
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/status',
      tag,
      summary: 'Get the status of a user',
      gate: byName.anyone,
      scopes,
      params: namedOrNumbered,
      responses: { 200: UserStatus },
      handle: ({ subject }) => getStatus(db.read, subject.id),
    }),
  ];
}
