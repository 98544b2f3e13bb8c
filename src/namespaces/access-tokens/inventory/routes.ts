import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { NewToken, PersonalAccessToken } from '../../../people/tokens/public.ts';
import * as schema from '../schema.ts';
import * as inventory from './schema.ts';
import * as service from './service.ts';

const tag = 'access tokens';

/** Credentials inventory of a top-level group. */
export function tokenInventoryRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...personalTokenRoutes(services, gates),
    ...resourceTokenRoutes(services, gates),
    ...keyRoutes(services, gates),
  ];
}

const managing = (gates: Gates) => gates.group('admin_credential', { signedIn: true });

function personalTokenRoutes(services: Services, gates: Gates): Route[] {
  const gate = managing(gates);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/manage/personal_access_tokens',
      tag,
      summary: 'List personal access tokens of enterprise users',
      gate,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(PersonalAccessToken) },
      handle: ({ caller, subject, params: { id: _, ...asked }, page }) =>
        service.listGroupPersonalTokens(services, caller, subject, asked, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/manage/personal_access_tokens/:pat_id',
      tag,
      summary: 'Revoke a personal access token of an enterprise user',
      gate,
      params: inventory.onePersonal,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokePersonal(services, caller, subject, params.pat_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/manage/personal_access_tokens/:pat_id/rotate',
      tag,
      summary: 'Rotate a personal access token of an enterprise user',
      gate,
      params: inventory.personalRotation,
      responses: { 201: NewToken },
      handle: ({ caller, subject, params }) =>
        service.rotatePersonal(services, caller, subject, params.pat_id, params.expires_at),
    }),
  ];
}

function resourceTokenRoutes(services: Services, gates: Gates): Route[] {
  const gate = managing(gates);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/manage/resource_access_tokens',
      tag,
      summary: 'List access tokens in a group hierarchy',
      gate,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params: { id: _, ...asked }, page }) =>
        service.listGroupResourceTokens(services, subject, asked, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/manage/resource_access_tokens/:prat_id',
      tag,
      summary: 'Revoke an access token in a group hierarchy',
      gate,
      params: inventory.oneResource,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResource(services, caller, subject, params.prat_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/manage/resource_access_tokens/:prat_id/rotate',
      tag,
      summary: 'Rotate an access token in a group hierarchy',
      gate,
      params: inventory.resourceRotation,
      responses: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateResource(services, caller, subject, params.prat_id, params.expires_at),
    }),
  ];
}

function keyRoutes(services: Services, gates: Gates): Route[] {
  const gate = managing(gates);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/manage/ssh_keys',
      tag,
      summary: 'List SSH keys of enterprise users',
      gate,
      params: inventory.keyList,
      paginated: true,
      responses: { 200: Type.Array(inventory.KeyOfAccount) },
      handle: ({ caller, subject, params, page }) => service.listKeys(services, caller, subject, params, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/manage/ssh_keys/:key_id',
      tag,
      summary: 'Delete an SSH key of an enterprise user',
      gate,
      params: inventory.oneKey,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteKey(services, caller, subject, params.key_id),
    }),
  ];
}
