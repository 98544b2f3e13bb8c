import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { pushGate, repositoryGate } from '../repository/public.ts';
import { TagSignature } from '../signatures/public.ts';
import { listTags } from './list.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'tags';

/** `/projects/:id/repository/tags`. */
export function tagRoutes(services: Services, gates: Gates): Route[] {
  const read = repositoryGate(gates, 'read_code');
  const push = pushGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags',
      tag,
      summary: 'List tags',
      gate: read,
      params: schema.listing,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.Tag) },
      handle: ({ caller, subject, params, page }) => listTags(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags/:tag_name',
      tag,
      summary: 'Get a tag',
      gate: read,
      params: schema.named,
      jobToken: true,
      responses: { 200: schema.Tag },
      handle: async ({ caller, subject, params }) => {
        const ref = await service.requireTag(services, subject, params.tag_name);
        return service.presentTag(services, caller, subject, ref);
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/tags',
      tag,
      summary: 'Create a tag',
      gate: push,
      params: schema.creation,
      responses: { 201: schema.Tag },
      handle: ({ caller, subject, params }) => service.createTag(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/tags/:tag_name',
      tag,
      summary: 'Delete a tag',
      gate: push,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteTag(services, caller, subject, params.tag_name, request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags/:tag_name/signature',
      tag,
      summary: 'Get the signature of a tag',
      gate: read,
      params: schema.named,
      responses: { 200: TagSignature },
      handle: ({ subject, params }) => service.signatureOfTag(services, subject, params.tag_name),
    }),
  ];
}
