import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { type ParamMap, param, required } from '../../platform/http/params.ts';
import { checkUnmodified } from '../../platform/http/precondition.ts';
import { createUserGates } from '../users/public.ts';
import * as gpg from './gpg.ts';
import * as schema from './schema.ts';

const tag = 'keys';
const reads = ['read_user'];

/** Who may look, and who may change. */
interface Owners {
  readonly read: Gate<Actor, User>;
  readonly write: Gate<Actor, User>;
}

/** `/user/gpg_keys` and `/users/:id/gpg_keys`; what others have is open to everyone. */
export function gpgRoutes(services: Services, gates: Gates): Route[] {
  const users = createUserGates(services.db, gates);
  const own = { read: gates.signedIn, write: gates.signedIn };
  const others = { read: users.anyone, write: users.admin };
  return [
    ...routesAt(services, '/user/gpg_keys', own, {}),
    ...routesAt(services, '/users/:id(^\\d+$)/gpg_keys', others, { id: required(param.integer()) }),
  ];
}

function routesAt({ db }: Services, path: string, { read, write }: Owners, owner: ParamMap): Route[] {
  const one = { ...owner, ...schema.keyed };
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List GPG keys',
      gate: read,
      scopes: reads,
      params: { ...owner },
      paginated: true,
      answers: { 200: Type.Array(schema.GpgKey) },
      handle: ({ subject, page }) => gpg.listGpgKeys(db, subject, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add a GPG key',
      gate: write,
      params: { ...owner, ...schema.gpgCreation },
      answers: { 201: schema.GpgKey },
      handle: ({ subject, params }) => gpg.addGpgKey(db, subject, params.key),
    }),
    route({
      method: 'GET',
      path: `${path}/:key_id`,
      tag,
      summary: 'Get a GPG key',
      gate: read,
      scopes: reads,
      params: one,
      answers: { 200: schema.GpgKey },
      handle: ({ subject, params }) => gpg.getGpgKey(db, subject, params.key_id),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key_id`,
      tag,
      summary: 'Delete a GPG key',
      gate: write,
      params: one,
      answers: { 204: null },
      handle: ({ subject, params, request }) =>
        gpg.removeGpgKey(db, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
    route({
      method: 'POST',
      path: `${path}/:key_id/revoke`,
      tag,
      summary: 'Revoke a GPG key',
      gate: write,
      params: one,
      answers: { 202: Type.Integer() },
      handle: async ({ subject, params }) => {
        await gpg.revokeGpgKey(db, subject, params.key_id);
        return 202;
      },
    }),
  ];
}
