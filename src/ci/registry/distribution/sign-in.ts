import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../../access/actor.ts';
import { readCredentials } from '../../../access/credentials/request-credentials.ts';
import { createThrottle, throttles } from '../../../access/limits/throttle.ts';
import type { Services } from '../../../access/services.ts';
import type { Authenticate } from '../../../code/transport/public.ts';
import { isRepositoryName } from './names.ts';
import { RegistryRefusal } from './refusal.ts';
import { type Access, type Action, accessTo, actions, opensImages } from './rights.ts';
import { issueRegistryToken, readRegistryToken } from './token.ts';

/** What this registry is called in questions for a token. */
export const registryService = 'container_registry';
const maxScopes = 100;

interface Wish {
  readonly name: string;
  readonly wanted: readonly Action[];
}

/** `repository:group/project:pull,push`; undefined for what is not about a repository. */
export function readScope(scope: string): Wish | undefined {
  const match = /^repository(?:\([a-z0-9]+\))?:([^:]+):([a-z*,]*)$/.exec(scope);
  const [, name = '', list = ''] = match ?? [];
  if (!isRepositoryName(name)) return undefined;
  const words = list.split(',');
  return { name, wanted: words.includes('*') ? actions : actions.filter((action) => words.includes(action)) };
}

function scopesOf(url: string): string[] {
  const query = new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '');
  const scopes = query.getAll('scope').flatMap((text) => text.split(' ').filter((scope) => scope !== ''));
  if (scopes.length > maxScopes) throw new RegistryRefusal('DENIED', { status: 400, message: 'too many scopes' });
  return scopes;
}

/** What somebody may do under a name, be it of a project or of what another area answers for. */
async function allowedUnder(services: Services, actor: Actor, name: string): Promise<ReadonlySet<Action> | undefined> {
  for (const ask of services.contributions('registry.names')) {
    const allowed = await ask(services, actor, name);
    if (allowed) return allowed;
  }
  return (await accessTo(services, actor, name))?.allowed;
}

/** Answers a container client that asks for a token: whatever of its wishes is allowed is granted. */
export async function answerTokenRequest(
  services: Services,
  authenticate: Authenticate,
  request: FastifyRequest,
  count: (actor: Actor) => Promise<void> | undefined,
): Promise<object> {
  if ((request.query as { service?: unknown }).service !== registryService) {
    throw new RegistryRefusal('UNSUPPORTED', { status: 404, message: 'there is no such service' });
  }
  const actor = await authenticate(readCredentials(request.headers), request.ip);
  await count(actor);
  const forbidden = new RegistryRefusal('DENIED', { message: 'access forbidden' });
  if (!opensImages(actor)) throw forbidden;
  const granted: Record<string, Action[]> = {};
  for (const scope of scopesOf(request.raw.url ?? '')) {
    const wish = readScope(scope);
    const allowed = wish && (await allowedUnder(services, actor, wish.name));
    if (!wish || !allowed) continue;
    const given = wish.wanted.filter((action) => allowed.has(action));
    if (given.length > 0) granted[wish.name] = [...new Set([...(granted[wish.name] ?? []), ...given])];
  }
  // Somebody who shows nothing and gets nothing is told to sign in; others keep a token to be refused with.
  if (actor.carrier === 'none' && Object.keys(granted).length === 0) throw forbidden;
  const seconds = (await services.settings.read()).container_registry_token_expire_delay * 60;
  const now = Date.now();
  const token = issueRegistryToken(services, actor, granted, now + seconds * 1000);
  return { token, access_token: token, expires_in: seconds, issued_at: new Date(now).toISOString() };
}

/** Says where a token is to be had, and for what. */
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

/** Who asks with a token of ours; throws the challenge for anything else. */
export async function bearerOf(services: Services, request: FastifyRequest, scope?: string) {
  const sent = bearer(request);
  if (sent === undefined) throw challenge(services, scope);
  const known = await readRegistryToken(services, sent, request.ip);
  if (!known) throw challenge(services, scope, 'invalid_token');
  return known;
}

const words: Readonly<Record<Action, string>> = { pull: 'pull', push: 'pull,push', delete: 'delete' };

/** Opens a repository to a request for one thing; throws the challenge where its token does not allow it. */
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
  // As a missing token: a client then asks for one with what is missing, and is told there what it may not.
  if (!access?.allowed.has(action)) throw challenge(services, scope, 'insufficient_scope');
  return access;
}

/** Another repository that the token of a request may pull from, for taking over a blob; undefined where it may not. */
export async function readableBeside(services: Services, request: FastifyRequest, name: string) {
  if (!isRepositoryName(name)) return undefined;
  return openRepository(services, request, name, 'pull').catch((error: unknown) => {
    if (error instanceof RegistryRefusal) return undefined;
    throw error;
  });
}

/** Counts a request to the registry for whom its token stands, where requests are counted at all. */
export function throttleImages(services: Services) {
  const throttle = createThrottle(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // A question for a token is counted once it is known who asks.
    if (request.url.startsWith('/jwt/auth') || !throttles(await services.settings.read())) return;
    const sent = bearer(request);
    const known = sent === undefined ? undefined : await readRegistryToken(services, sent, request.ip);
    await throttle(known?.actor ?? anonymous, request, reply);
  };
}

/** The way in for tokens, kept from caches. */
export function tokenHandler(services: Services, authenticate: Authenticate) {
  const throttle = createThrottle(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer = await answerTokenRequest(services, authenticate, request, (actor) =>
      throttle(actor, request, reply),
    );
    return reply.header('cache-control', 'no-store').type('application/json').send(JSON.stringify(answer));
  };
}
