import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { SshKeyWithUser } from './schema.ts';
import { lookUpFingerprint, lookUpKey } from './service.ts';

/** Looks up any SSH key with its user. */
export function keyLookupRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/keys/:id(^\\d+$)',
      tag: 'keys',
      summary: 'Get an SSH key with its user',
      gate: gates.admin,
      params: { id: required(param.integer()) },
      responses: { 200: SshKeyWithUser },
      handle: ({ caller, params }) => lookUpKey(services, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/keys',
      tag: 'keys',
      summary: 'Get an SSH key by fingerprint',
      gate: gates.auditor,
      params: { fingerprint: required(param.string()) },
      responses: { 200: SshKeyWithUser },
      handle: ({ caller, params }) => lookUpFingerprint(services, caller, params.fingerprint),
    }),
  ];
}
