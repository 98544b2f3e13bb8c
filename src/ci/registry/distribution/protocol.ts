import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { asRegistryRefusal } from './refusal.ts';
import { throttleImages } from './sign-in.ts';

/** Has a plugin of its own speak to container clients: bodies as they come, refusals in the words of the protocol. */
export function speakProtocol(app: FastifyInstance, services: Services): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, request) => {
    // What a refused client still sends is read and thrown away, so that it gets to read the answer.
    request.raw.resume();
    throw asRegistryRefusal(error) ?? error;
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'docker-distribution-api-version': 'registry/2.0', 'x-content-type-options': 'nosniff' });
    done();
  });
  app.addHook('onRequest', throttleImages(services));
}
