import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../../access/actor.ts';
import { readCredentials } from '../../../access/credentials/request-credentials.ts';
import { createThrottle, throttles } from '../../../access/limits/throttle.ts';
import type { Services } from '../../../access/services.ts';
import type { Authenticate } from '../../../code/transport/public.ts';
import { isRepositoryName } from './names.ts';
import { RegistryRefusal } from './refusal.ts';
import { type Access, type Action, accessTo, actions, canAccessImages } from './rights.ts';
import { issueRegistryToken, readRegistryToken } from './token.ts';

/** Name of this registry in token requests. */
export const registryService = 'container_registry';
const maxScopes = 100;

interface RequestedAccess {
  readonly name: string;
  readonly requested: readonly Action[];
}

/** Parses a scope such as `repository:group/project:pull,push`; undefined for other resource types. */
export function readScope(scope: string): RequestedAccess | undefined {
  const match = /^repository(?:\([a-z0-9]+\))?:([^:]+):([a-z*,]*)$/.exec(scope);
  const [, name = '', list = ''] = match ?? [];
  if (!isRepositoryName(name)) return undefined;
  const words = list.split(',');
  return { name, requested: words.includes('*') ? actions : actions.filter((action) => words.includes(action)) };
}

function scopesOf(url: string): string[] {
  const query = new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '');
  const scopes = query.getAll('scope').flatMap((text) => text.split(' ').filter((scope) => scope !== ''));
  if (scopes.length > maxScopes) throw new RegistryRefusal('DENIED', { status: 400, message: 'too many scopes' });
  return scopes;
}

/** Actions an actor may perform under a name, including names provided by other areas. */
async function allowedUnder(services: Services, actor: Actor, name: string): Promise<ReadonlySet<Action> | undefined> {
  for (const resolve of services.contributions('registry.names')) {
    const allowed = await resolve(services, actor, name);
    if (allowed) return allowed;
  }
  return (await accessTo(services, actor, name))?.allowed;
}

/** Answers a token request. The requested actions that are allowed are granted. */
export async function answerTokenRequest(
  services: Services,
  authenticate: Authenticate,
  request: FastifyRequest,
  count: (actor: Actor) => Promise<void> | undefined,
): Promise<object> {
  if ((request.query as { service?: unknown }).service !== registryService) {
    throw new RegistryRefusal('UNSUPPORTED', { status: 404, message: 'unknown service' });
  }
  const actor = await authenticate(readCredentials(request.headers), request.ip);
  await count(actor);
  const forbidden = new RegistryRefusal('DENIED', { message: 'access forbidden' });
  if (!canAccessImages(actor)) throw forbidden;
  const granted: Record<string, Action[]> = {};
  for (const scope of scopesOf(request.raw.url ?? '')) {
    const scopeRequest = readScope(scope);
    const allowed = scopeRequest && (await allowedUnder(services, actor, scopeRequest.name));
    if (!scopeRequest || !allowed) continue;
    const allowedActions = scopeRequest.requested.filter((action) => allowed.has(action));
    if (allowedActions.length > 0)
      granted[scopeRequest.name] = [...new Set([...(granted[scopeRequest.name] ?? []), ...allowedActions])];
  }
  // Anonymous clients without any grant are asked to authenticate. Authenticated clients get a token without grants.
  if (actor.carrier === 'none' && Object.keys(granted).length === 0) throw forbidden;
  const seconds = (await services.settings.read()).container_registry_token_expire_delay * 60;
  const now = Date.now();
  const token = issueRegistryToken(services, actor, granted, now + seconds * 1000);
  return { token, access_token: token, expires_in: seconds, issued_at: new Date(now).toISOString() };
}

/** The authentication challenge, with the token endpoint and the required scope. */
export function challenge({ externalUrl }: Services, scope?: string, error?: string): RegistryRefusal {
  const parts = [
    `realm="${externalUrl}/jwt/auth"`,
    `service="${registryService}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
    ...(error === undefined ? [] : [`error="${error}"`]),
  ];
  return new RegistryRefusal('UNAUTHORIZED', { headers: { 'www-authenticate': `Bearer ${parts.join(',')}` } });
}

const bearer = ({ headers }: FastifyRequest) => /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** Authenticates a registry token; throws the challenge if it is missing or invalid. */
export async function bearerOf(services: Services, request: FastifyRequest, scope?: string) {
  const sent = bearer(request);
  if (sent === undefined) throw challenge(services, scope);
  const identity = await readRegistryToken(services, sent, request.ip);
  if (!identity) throw challenge(services, scope, 'invalid_token');
  return identity;
}

const words: Readonly<Record<Action, string>> = { pull: 'pull', push: 'pull,push', delete: 'delete' };

/** Authorizes one action on a repository; throws the challenge if the token does not allow it. */
export async function openRepository(
  services: Services,
  request: FastifyRequest,
  name: string,
  action: Action,
): Promise<Access> {
  if (!isRepositoryName(name)) throw new RegistryRefusal('NAME_INVALID');
  const scope = `repository:${name}:${words[action]}`;
  const { actor, granted } = await bearerOf(services, request, scope);
  const access = granted[name]?.includes(action) ? await accessTo(services, actor, name) : undefined;
  // Treated like a missing token, so that the client requests one with the missing scope and is refused there.
  if (!access?.allowed.has(action)) throw challenge(services, scope, 'insufficient_scope');
  return access;
}

/** Opens another repository with pull access to mount a blob from; undefined if the token does not allow it. */
export async function openMountSource(services: Services, request: FastifyRequest, name: string) {
  if (!isRepositoryName(name)) return undefined;
  return openRepository(services, request, name, 'pull').catch((error: unknown) => {
    if (error instanceof RegistryRefusal) return undefined;
    throw error;
  });
}

/** Rate limits registry requests by the user of the token, if rate limiting is enabled. */
export function throttleImages(services: Services) {
  const throttle = createThrottle(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Token requests are counted after authentication.
    if (request.url.startsWith('/jwt/auth') || !throttles(await services.settings.read())) return;
    const sent = bearer(request);
    const identity = sent === undefined ? undefined : await readRegistryToken(services, sent, request.ip);
    await throttle(identity?.actor ?? anonymous, request, reply);
  };
}

/** The token endpoint. Responses are not cacheable. */
export function tokenHandler(services: Services, authenticate: Authenticate) {
  const throttle = createThrottle(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer = await answerTokenRequest(services, authenticate, request, (actor) =>
      throttle(actor, request, reply),
    );
    return reply.header('cache-control', 'no-store').type('application/json').send(JSON.stringify(answer));
  };
}
