import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneRequest } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_requests';

/** Routes for merge request dependencies. */
export function blockRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_merge_request');
  const signedIn = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/blocks',
      tag,
      summary: 'List dependencies of a merge request',
      gate: reading,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.Block) },
      handle: ({ caller, subject, params, page }) =>
        service.listBlocks(services, caller, subject, params.merge_request_iid, 'blocks', page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/blocks',
      tag,
      summary: 'Create a merge request dependency',
      gate: signedIn,
      params: schema.newBlock,
      rules: [schema.newBlockRule],
      responses: { 201: schema.Block },
      handle: ({ caller, subject, params }) => service.createBlock(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/blocks/:block_id',
      tag,
      summary: 'Get a merge request dependency',
      gate: reading,
      params: schema.oneBlock,
      responses: { 200: schema.Block },
      handle: ({ caller, subject, params }) => service.getBlock(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/blocks/:block_id',
      tag,
      summary: 'Delete a merge request dependency',
      gate: signedIn,
      params: schema.oneBlock,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteBlock(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/blockees',
      tag,
      summary: 'List merge requests blocked by a merge request',
      gate: reading,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.Block) },
      handle: ({ caller, subject, params, page }) =>
        service.listBlocks(services, caller, subject, params.merge_request_iid, 'blockees', page),
    }),
  ];
}
