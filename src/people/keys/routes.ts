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
import { gpgRoutes } from './gpg-routes.ts';
import { lookUpFingerprint, lookUpKey } from './lookup.ts';
import * as schema from './schema.ts';
import * as ssh from './ssh.ts';

const tag = 'keys';
const reads = ['read_user'];

/** SSH and GPG keys of users, and the look-up of any SSH key. */
export function keyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const byId = createUserGates(db, gates);
  const byName = createUserGates(db, gates, 'user_id');
  const numbered = { id: required(param.integer()) };
  return [
    ...listing(services, '/user/keys', gates.signedIn, {}),
    ...listing(services, '/users/:user_id/keys', byName.anyone, { user_id: required(param.string()) }),
    ...reading(services, '/user/keys', gates.signedIn, {}),
    ...reading(services, '/users/:id(^\\d+$)/keys', byId.anyone, numbered),
    ...changing(services, '/user/keys', gates.signedIn, {}),
    ...changing(services, '/users/:id(^\\d+$)/keys', byId.admin, numbered),
    ...gpgRoutes(services, gates),
    route({
      method: 'GET',
      path: '/keys/:id(^\\d+$)',
      tag,
      summary: 'Get an SSH key with its user',
      gate: gates.admin,
      params: numbered,
      answers: { 200: schema.SshKeyWithUser },
      handle: ({ caller, params }) => lookUpKey(services, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/keys',
      tag,
      summary: 'Find an SSH key by its fingerprint',
      gate: gates.auditor,
      params: { fingerprint: required(param.string()) },
      answers: { 200: schema.SshKeyWithUser },
      handle: ({ caller, params }) => lookUpFingerprint(services, caller, params.fingerprint),
    }),
  ];
}

type Owner = Gate<Actor, User>;

function listing({ db }: Services, path: string, gate: Owner, owner: ParamMap): Route[] {
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List SSH keys',
      gate,
      scopes: reads,
      params: owner,
      paginated: true,
      answers: { 200: Type.Array(schema.SshKey) },
      handle: ({ subject, page }) => ssh.listSshKeys(db, subject, page),
    }),
  ];
}

function reading({ db }: Services, path: string, gate: Owner, owner: ParamMap): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/:key_id`,
      tag,
      summary: 'Get an SSH key',
      gate,
      scopes: reads,
      params: { ...owner, ...schema.keyed },
      answers: { 200: schema.SshKey },
      handle: ({ subject, params }) => ssh.getSshKey(db, subject, params.key_id),
    }),
  ];
}

function changing(services: Services, path: string, gate: Owner, owner: ParamMap): Route[] {
  const { db } = services;
  return [
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add an SSH key',
      gate,
      params: { ...owner, ...schema.creation },
      answers: { 201: schema.SshKey },
      handle: ({ subject, params }) => ssh.addSshKey(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key_id`,
      tag,
      summary: 'Delete an SSH key',
      gate,
      params: { ...owner, ...schema.keyed },
      answers: { 204: null },
      handle: ({ subject, params, request }) =>
        ssh.removeSshKey(db, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}
