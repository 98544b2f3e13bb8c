import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findOAuthToken, isExpired } from '../../access/credentials/identify.ts';
import { readScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { OAuthToken, User } from '../../access/tables.ts';
import { beginDevice } from './devices.ts';
import { OAuthError } from './errors.ts';
import { claimsOf } from './identity.ts';
import { publicKeys } from './keys/keys.ts';
import { challengeMethods, oauthScopes } from './rules.ts';
import { exchange, grantTypes, introspect, type RequestParams, revoke, tokenInfo } from './tokens.ts';

const longestBody = 65_536;

/** Returns the string parameters; of repeated ones the first. */
function textsOf(sent: unknown): Record<string, string> {
  const entries = Object.entries((sent ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Reads client credentials from the Authorization header; those in the body take precedence. */
function clientInHeader({ headers }: FastifyRequest): RequestParams {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(/:(.*)/s, 2);
  return { client_id: decoded(id), client_secret: decoded(secret) };
}

/** Merges the parameters of header, query and body. */
function sentWith(request: FastifyRequest): RequestParams {
  return { ...clientInHeader(request), ...textsOf(request.query), ...textsOf(request.body) };
}

/** Endpoints called by applications: available to all origins, and never authenticated by a cookie. */
export async function serveOAuth(app: FastifyInstance, services: Services): Promise<void> {
  const { externalUrl } = services;

  async function bearer(request: FastifyRequest): Promise<[OAuthToken, User]> {
    const [, plain] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const accessToken = plain ?? sentWith(request).access_token ?? '';
    const found = await findOAuthToken(services.db.read, accessToken.trim());
    if (!found || found[0].revoked === 1 || isExpired(found[0]))
      throw new OAuthError('invalid_token', 'The access token is invalid, expired or revoked.');
    return found;
  }

  async function userInfo(request: FastifyRequest) {
    const [token, user] = await bearer(request);
    const scopes = readScopes(token.scopes);
    if (!scopes.includes('openid')) throw new OAuthError('invalid_token', 'The access token lacks the scope openid.');
    return claimsOf(services, user, scopes);
  }

  const wellKnown = () => ({
    issuer: externalUrl,
    authorization_endpoint: `${externalUrl}/oauth/authorize`,
    token_endpoint: `${externalUrl}/oauth/token`,
    revocation_endpoint: `${externalUrl}/oauth/revoke`,
    introspection_endpoint: `${externalUrl}/oauth/introspect`,
    userinfo_endpoint: `${externalUrl}/oauth/userinfo`,
    device_authorization_endpoint: `${externalUrl}/oauth/authorize_device`,
    jwks_uri: `${externalUrl}/oauth/discovery/keys`,
    scopes_supported: oauthScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: challengeMethods,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'],
      ...['name', 'nickname', 'preferred_username', 'profile', 'picture', 'email', 'email_verified'],
    ],
  });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const text = { parseAs: 'string', bodyLimit: longestBody } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', text, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.addContentTypeParser('application/json', text, (_request, body, done) => {
      try {
        done(null, JSON.parse(String(body) || '{}'));
      } catch {
        done(new OAuthError('invalid_request', 'The body is not valid JSON.'));
      }
    });
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
    });
    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      if (error instanceof OAuthError) return refuse(reply, error);
      const status = error.statusCode ?? 500;
      if (status < 500) return refuse(reply, new OAuthError('invalid_request', 'The body cannot be read.'), status);
      services.log.error({ err: error, requestId: request.id }, 'an OAuth request failed');
      return reply.code(500).send({ error: 'server_error' });
    });
    const open = (reply: FastifyReply) => reply.header('cache-control', 'public, max-age=86400');
    const secret = (reply: FastifyReply) => reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });

    for (const path of ['openid-configuration', 'oauth-authorization-server'])
      scope.get(`/.well-known/${path}`, (_request, reply) => open(reply).send(wellKnown()));
    scope.get('/oauth/discovery/keys', async (_request, reply) =>
      open(reply).send({ keys: await publicKeys(services) }),
    );
    scope.post('/oauth/token', async (request, reply) =>
      secret(reply).send(await exchange(services, sentWith(request), request.ip)),
    );
    scope.get('/oauth/token/info', async (request, reply) => {
      const [token] = await bearer(request);
      return secret(reply).send(await tokenInfo(services, token));
    });
    scope.post('/oauth/revoke', async (request, reply) => {
      await revoke(services, sentWith(request));
      return secret(reply).send({});
    });
    scope.post('/oauth/introspect', async (request, reply) =>
      secret(reply).send(await introspect(services, sentWith(request))),
    );
    scope.post('/oauth/authorize_device', async (request, reply) => {
      const { client_id = '', scope: requestedScope } = sentWith(request);
      return secret(reply).send(await beginDevice(services, client_id, requestedScope, request.ip));
    });
    scope.get('/oauth/userinfo', async (request, reply) => secret(reply).send(await userInfo(request)));
    scope.post('/oauth/userinfo', async (request, reply) => secret(reply).send(await userInfo(request)));
    for (const path of ['token', 'revoke', 'userinfo', 'token/info', 'authorize_device', 'discovery/keys'])
      scope.options(`/oauth/${path}`, (_request, reply) =>
        reply
          .headers({
            'access-control-allow-methods': 'GET, POST, OPTIONS',
            'access-control-allow-headers': 'Authorization, Content-Type',
            'access-control-max-age': '86400',
          })
          .code(204)
          .send(),
      );
  });
}

function refuse(reply: FastifyReply, error: OAuthError, status = error.status): FastifyReply {
  if (status === 401) {
    const challenge = error.code === 'invalid_client' ? 'Basic realm="OAuth"' : `Bearer error="${error.code}"`;
    reply.header('www-authenticate', challenge);
  }
  return reply.code(status).header('cache-control', 'no-store').send(error.body);
}
