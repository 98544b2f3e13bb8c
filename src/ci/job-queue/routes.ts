import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import { requestJob } from './service.ts';

const tag = 'runners';

export function jobQueueRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/jobs/request',
      tag,
      summary: 'Request a job as a runner',
      gate: gates.anyone,
      params: schema.jobRequest,
      responses: { 201: schema.JobPayload, 204: null },
      async handle({ params, request, reply, signal }) {
        const { token, last_update, ...contact } = params;
        const found = await requestJob(services, { token, last_update, contact, ip: request.ip, signal });
        if ('payload' in found) return found.payload;
        return reply.code(204).header('x-gitlab-last-update', found.version).send();
      },
    }),
  ];
}
