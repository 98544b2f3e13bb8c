import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Message } from '../../platform/http/schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'background work';

/** `/admin/dead_jobs`: background jobs that failed permanently, for administrators to inspect, retry or delete. */
export function backgroundRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/admin/dead_jobs',
      tag,
      summary: 'List dead background jobs',
      gate: admin,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.DeadJob) },
      handle: ({ params, page }) => service.listDeadJobs(services, params, page),
    }),
    route({
      method: 'POST',
      path: '/admin/dead_jobs/:id/retry',
      tag,
      summary: 'Retry a dead background job',
      gate: admin,
      params: schema.one,
      responses: { 201: Message },
      handle: async ({ params }) => {
        await service.retryDeadJob(services, params.id);
        return { message: '201 Created' };
      },
    }),
    route({
      method: 'DELETE',
      path: '/admin/dead_jobs/:id',
      tag,
      summary: 'Delete a dead background job',
      gate: admin,
      params: schema.one,
      responses: { 204: null },
      handle: ({ params }) => service.discardDeadJob(services, params.id),
    }),
  ];
}
