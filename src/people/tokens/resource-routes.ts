import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { BadRequest, type HttpError, Unauthorized } from '../../platform/http/errors.ts';
import * as inventory from './inventory.ts';
import * as service from './resource.ts';
import * as schema from './schema.ts';

const tag = 'access tokens';

/** Whoever may see the place but not manage its tokens is refused in the route's own way. */
function managing(gate: Gate<Actor, service.ProjectOrGroup>, refusal: (actor: Actor) => HttpError | undefined) {
  const { before } = gate;
  return {
    asks: { ...gate.asks, ability: 'admin_access_token' },
    ...(before ? { before } : {}),
    async enter(actor, params, request) {
      const place = await gate.enter(actor, params, request);
      const refused = place.can('admin_access_token') ? undefined : refusal(actor);
      if (refused) throw refused;
      return place;
    },
  } satisfies Gate<Actor, service.ProjectOrGroup>;
}

/** `/projects/:id/access_tokens`, `/groups/:id/access_tokens`, and the inventories of top-level groups. */
export function resourceTokenRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...tokensOf(services, 'project', gates.project('read_project', { signedIn: true })),
    ...tokensOf(services, 'group', gates.group('read_group', { signedIn: true })),
    ...inventoryRoutes(services, gates),
  ];
}

function tokensOf(services: Services, kind: 'project' | 'group', place: Gate<Actor, service.ProjectOrGroup>): Route[] {
  const path = `/${kind}s/:id/access_tokens`;
  const reading = managing(place, () => new Unauthorized());
  const mayNotCreate = () => new BadRequest(`User does not have permission to create ${kind} access token`);
  const asks = { ...place.asks, ability: 'admin_access_token' };
  // What is refused here depends on the token too: the service says it.
  const touching = { ...place, asks };
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: `List the access tokens of a ${kind}`,
      gate: reading,
      params: { ...schema.owner, ...schema.filters },
      paginated: true,
      answers: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params, page }) => service.listResourceTokens(services, subject, params, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: `Create an access token of a ${kind}, with a bot that it acts for`,
      gate: managing(place, mayNotCreate),
      params: schema.resourceCreation,
      answers: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) => {
        if (caller.user?.kind !== 'human') throw mayNotCreate();
        return service.createResourceToken(services, caller, subject, params);
      },
    }),
    route({
      method: 'POST',
      path: `${path}/self/rotate`,
      tag,
      summary: `Replace the access token of a ${kind} that is presented`,
      gate: touching,
      scopes: ['self_rotate'],
      params: { ...schema.owner, ...schema.rotation },
      answers: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateOwnResourceToken(services, caller, subject, params.expires_at),
    }),
    route({
      method: 'GET',
      path: `${path}/:token_id`,
      tag,
      summary: `Get an access token of a ${kind}`,
      gate: reading,
      params: schema.ofOwner,
      answers: { 200: schema.ResourceToken },
      handle: ({ subject, params }) => service.getResourceToken(services, subject, params.token_id),
    }),
    route({
      method: 'POST',
      path: `${path}/:token_id/rotate`,
      tag,
      summary: `Replace an access token of a ${kind}`,
      gate: touching,
      params: { ...schema.ofOwner, ...schema.rotation },
      answers: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateResourceToken(services, caller, subject, params.token_id, params.expires_at),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:token_id`,
      tag,
      summary: `Revoke an access token of a ${kind}`,
      gate: touching,
      params: schema.ofOwner,
      answers: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResourceToken(services, caller, subject, params.token_id),
    }),
  ];
}

function inventoryRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_access_token', { signedIn: true });
  const params = { ...schema.owner, ...schema.filters };
  return [
    route({
      method: 'GET',
      path: '/groups/:id/manage/personal_access_tokens',
      tag,
      summary: 'List the personal access tokens of the accounts that belong to a top-level group',
      gate,
      params,
      paginated: true,
      answers: { 200: Type.Array(schema.PersonalAccessToken) },
      handle: ({ caller, subject, params: filter, page }) =>
        inventory.listGroupPersonalTokens(services, caller, subject, filter, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/manage/resource_access_tokens',
      tag,
      summary: 'List the access tokens of a top-level group and of everything in it',
      gate,
      params,
      paginated: true,
      answers: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params: filter, page }) => inventory.listGroupResourceTokens(services, subject, filter, page),
    }),
  ];
}
