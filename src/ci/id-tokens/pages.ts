import type { FastifyInstance } from 'fastify';
import type { Services } from '../../access/services.ts';
import { publicKeys } from './keys.ts';

/** Where others look up how to check the tokens of jobs: the addresses that OpenID Connect has for it. */
export function serveDiscovery(app: FastifyInstance, services: Services): void {
  const { externalUrl } = services;
  app.get('/.well-known/openid-configuration', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').send({
      issuer: externalUrl,
      jwks_uri: `${externalUrl}/oauth/discovery/keys`,
      response_types_supported: ['id_token'],
      scopes_supported: ['openid'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sub'],
    }),
  );
  app.get('/oauth/discovery/keys', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').send({ keys: await publicKeys(services) }),
  );
}
