import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../access/services.ts';

/** Service discovery, which Terraform requests before it requests a module. */
export function serveDiscovery(app: FastifyInstance, { externalUrl }: Services): void {
  const { pathname } = new URL(`${externalUrl}/api/v4/packages/terraform/modules/v1/`);
  app.get('/.well-known/terraform.json', (_request, reply) => reply.send({ 'modules.v1': pathname }));
}
