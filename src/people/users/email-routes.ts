import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { addEmail, deleteEmail, getEmail, listEmails } from './emails.ts';
import type { UserGates } from './gates.ts';
import { numbered } from './params.ts';
import { Email } from './schema.ts';

const tag = 'users';
const one = { email_id: required(param.integer()) };

/** `/user/emails` for one's own addresses, `/users/:id/emails` for administrators. */
export function emailRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  return [
    ...routesAt(services, '/user/emails', gates.signedIn, false),
    ...routesAt(services, '/users/:id(^\\d+$)/emails', users.admin, true),
  ];
}

function routesAt({ db }: Services, path: string, gate: Gate<Actor, User>, byAdmin: boolean): Route[] {
  const owner = byAdmin ? numbered : {};
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List e-mail addresses',
      gate,
      scopes: ['read_user'],
      params: owner,
      paginated: true,
      answers: { 200: Type.Array(Email) },
      handle: ({ subject, page }) => listEmails(db, subject.id, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add an e-mail address',
      gate,
      params: {
        ...owner,
        email: required(param.string()),
        ...(byAdmin ? { skip_confirmation: withDefault(param.boolean(), false) } : {}),
      },
      answers: { 201: Email },
      handle: ({ subject, params }) =>
        addEmail(db, subject.id, params.email, byAdmin && params.skip_confirmation === true),
    }),
    route({
      method: 'GET',
      path: `${path}/:email_id`,
      tag,
      summary: 'Get an e-mail address',
      gate,
      scopes: ['read_user'],
      params: { ...owner, ...one },
      answers: { 200: Email },
      handle: ({ subject, params }) => getEmail(db, subject.id, params.email_id),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:email_id`,
      tag,
      summary: 'Delete an e-mail address',
      gate,
      params: { ...owner, ...one },
      answers: { 204: null },
      handle: ({ subject, params }) => deleteEmail(db, subject, params.email_id),
    }),
  ];
}
