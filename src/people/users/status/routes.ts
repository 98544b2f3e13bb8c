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
      summary: 'Get what you say of yourself at the moment',
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
      summary: 'Set what you say of yourself; what is not sent is cleared',
      gate: gates.signedIn,
      params: change,
      responses: { 200: UserStatus },
      handle: ({ subject, params }) => setStatus(db, subject.id, params, false),
    }),
    route({
      method: 'PATCH',
      path: '/user/status',
      tag,
      summary: 'Change what you say of yourself; what is not sent stays',
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
      summary: 'Get what a user says of themselves at the moment',
      gate: byName.anyone,
      scopes,
      params: namedOrNumbered,
      responses: { 200: UserStatus },
      handle: ({ subject }) => getStatus(db.read, subject.id),
    }),
  ];
}
