import { Readable } from 'node:stream';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { appendToLog } from './append.ts';
import { jobTokenIn } from './running-job.ts';
import * as schema from './schema.ts';
import { reportJob } from './service.ts';

const tag = 'runners';

/** Routes for runners to report on their jobs, authenticated with job tokens. */
export function jobLogRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/jobs/:id',
      tag,
      summary: 'Update a job as its runner',
      gate: gates.anyone,
      params: schema.report,
      responses: { 200: null },
      async handle({ params, request, reply }) {
        const { status } = await reportJob(services, {
          id: params.id,
          token: jobTokenIn(request.headers, params.token),
          state: params.state,
          failureReason: params.failure_reason,
          exitCode: params.exit_code,
          logSize: params.output?.bytesize,
          checksum: params.output?.checksum ?? params.checksum,
        });
        reply.header('job-status', status);
      },
    }),
    route({
      method: 'PATCH',
      path: '/jobs/:id/trace',
      tag,
      summary: 'Append to the log of a job as its runner',
      gate: gates.anyone,
      params: schema.patch,
      rawBody: true,
      responses: { 202: null },
      async handle({ params, request, reply }) {
        const body = (request.body as Readable | undefined) ?? Readable.from([]);
        const contentRange = request.headers['content-range'];
        const headers = await appendToLog(services, {
          id: params.id,
          token: jobTokenIn(request.headers),
          contentRange: typeof contentRange === 'string' ? contentRange : undefined,
          debug: params.debug_trace === true,
          body,
        }).finally(() => body.resume());
        reply.headers(headers);
      },
    }),
  ];
}
