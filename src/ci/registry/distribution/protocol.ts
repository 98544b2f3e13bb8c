import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { asRegistryRefusal } from './refusal.ts';
import { throttleImages } from './sign-in.ts';

/** Configures a plugin for container clients: unparsed bodies and errors in the format of the distribution protocol. */
export function useRegistryProtocol(app: FastifyInstance, services: Services): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, request) => {
    // The rest of a rejected request is read and discarded, so that the client receives the response.
    request.raw.resume();
    throw asRegistryRefusal(error) ?? error;
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'docker-distribution-api-version': 'registry/2.0', 'x-content-type-options': 'nosniff' });
    done();
  });
  app.addHook('onRequest', throttleImages(services));
}
