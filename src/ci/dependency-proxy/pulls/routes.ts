import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../access/services.ts';
import {
  bearerOf,
  checkDigest,
  RegistryRefusal,
  readReference,
  sendManifest,
  useRegistryProtocol,
} from '../../registry/public.ts';
import { pullBlob } from './blobs.ts';
import { pullManifest } from './manifests.ts';
import { openPull, type PullRequest } from './pull.ts';

/** The dependency proxy endpoints for container clients, registered as a separate plugin. */
export function pullRoutes(services: Services) {
  return async (app: FastifyInstance): Promise<void> => {
    useRegistryProtocol(app, services);
    app.route({
      method: ['GET', 'HEAD'],
      url: '/-/dependency_proxy/:group/:image/manifests/:reference',
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const pull = await openPull(services, request as PullRequest, reply);
        const reference = readReference((request as PullRequest).params.reference);
        return sendManifest(await pullManifest(services, pull, reference), request, reply);
      },
    });
    app.route({
      method: ['GET', 'HEAD'],
      url: '/-/dependency_proxy/:group/:image/blobs/:reference',
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const pull = await openPull(services, request as PullRequest, reply);
        const digest = checkDigest((request as PullRequest).params.reference);
        return pullBlob(services, pull, digest, request, reply);
      },
    });
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: '/-/dependency_proxy/*',
      exposeHeadRoute: false,
      handler: async (request) => {
        await bearerOf(services, request);
        throw new RegistryRefusal('UNSUPPORTED', { message: 'the dependency proxy only supports pulling' });
      },
    });
  };
}
