import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import * as schema from './schema.ts';
import { addEmail, deleteEmail, getEmail, listEmails } from './service.ts';

const tag = 'users';
const scopes = ['read_user'];

/** `/user/emails` for the caller, `/users/:id/emails` for administrators. */
export function emailRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  const { db } = services;
  return [
    route({
      method: 'GET',
      path: '/user/emails',
      tag,
      summary: 'List e-mail addresses of the current user',
      gate: gates.signedIn,
      scopes,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.Email) },
      handle: ({ subject, page }) => listEmails(db, subject.id, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/emails',
      tag,
      summary: 'List e-mail addresses of a user',
      gate: users.admin,
      scopes,
      params: numbered,
      paginated: true,
      responses: { 200: Type.Array(schema.Email) },
      handle: ({ subject, page }) => listEmails(db, subject.id, page),
    }),
    route({
      method: 'POST',
      path: '/user/emails',
      tag,
      summary: 'Add an e-mail address to the current user',
      gate: gates.signedIn,
      params: schema.creation,
      responses: { 201: schema.Email },
      handle: ({ subject, params }) => addEmail(services, subject.id, params.email),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/emails',
      tag,
      summary: 'Add an e-mail address to a user',
      gate: users.admin,
      params: schema.creationForUser,
      responses: { 201: schema.Email },
      handle: ({ subject, params }) => addEmail(services, subject.id, params.email, params.skip_confirmation),
    }),
    route({
      method: 'GET',
      path: '/user/emails/:email_id',
      tag,
      summary: 'Get an e-mail address of the current user',
      gate: gates.signedIn,
      scopes,
      params: schema.own,
      responses: { 200: schema.Email },
      handle: ({ subject, params }) => getEmail(db, subject.id, params.email_id),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/emails/:email_id',
      tag,
      summary: 'Get an e-mail address of a user',
      gate: users.admin,
      scopes,
      params: schema.ofUser,
      responses: { 200: schema.Email },
      handle: ({ subject, params }) => getEmail(db, subject.id, params.email_id),
    }),
    route({
      method: 'DELETE',
      path: '/user/emails/:email_id',
      tag,
      summary: 'Delete an e-mail address of the current user',
      gate: gates.signedIn,
      params: schema.own,
      responses: { 204: null },
      handle: ({ subject, params }) => deleteEmail(services, subject, params.email_id),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)/emails/:email_id',
      tag,
      summary: 'Delete an e-mail address of a user',
      gate: users.admin,
      params: schema.ofUser,
      responses: { 204: null },
      handle: ({ subject, params }) => deleteEmail(services, subject, params.email_id),
    }),
  ];
}
