import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { handlerFor } from '../../platform/http/pipeline.ts';
import type { PipelineOptions } from '../../platform/http/pipeline-options.ts';
import { setHeaders, standardHeaders } from '../../platform/http/responses/headers.ts';
import { archivePage } from '../archives/public.ts';
import { rawPage } from '../files/public.ts';
import { evidencePage } from '../releases/public.ts';

/** Serves downloads at web URLs, with the same credentials as the API. */
export async function serveDownloads(
  app: FastifyInstance,
  services: Services,
  world: PipelineOptions<Actor>,
): Promise<void> {
  const pages = [rawPage(services), archivePage(services), evidencePage(services)];
  await app.register(async (scope) => {
    scope.addHook('onSend', (request, reply, payload, done) => {
      setHeaders(reply, standardHeaders(request, reply));
      done(null, payload);
    });
    for (const page of pages) scope.get(page.path, { exposeHeadRoute: true }, handlerFor(page, world));
  });
}
