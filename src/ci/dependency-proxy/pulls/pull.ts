import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { bearerOf, challenge, isRepositoryName, RegistryRefusal } from '../../registry/public.ts';
import { openGroup } from './rights.ts';
import { settingsRow } from './store.ts';
import { openUpstream, type Upstream } from './upstream.ts';

/** An image that somebody pulls through a group, and may. */
export interface Pull {
  readonly groupId: number;
  readonly image: string;
  readonly upstream: Upstream;
  /** What the client takes. */
  readonly accept: string | undefined;
  /** The client has left. */
  readonly signal: AbortSignal;
}

export type PullRequest = FastifyRequest<{ Params: { group: string; image: string; reference: string } }>;

function leaving(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Opens an image to a request; throws where there is nothing for whoever asks. */
export async function openPull(services: Services, request: PullRequest, reply: FastifyReply): Promise<Pull> {
  const { group: path, image } = request.params;
  const name = `${path}/dependency_proxy/containers/${image}`;
  if (!isRepositoryName(name)) throw new RegistryRefusal('NAME_INVALID');
  const scope = `repository:${name}:pull`;
  const { actor, granted } = await bearerOf(services, request, scope);
  if (actor.carrier === 'none') throw challenge(services, scope, 'insufficient_scope');
  const group = await openGroup(services, actor, path);
  if (group === 'unknown') throw new RegistryRefusal('NAME_UNKNOWN');
  if (group === 'refused') throw new RegistryRefusal('DENIED');
  if (!granted[name]?.includes('pull')) throw challenge(services, scope, 'insufficient_scope');
  const settings = await settingsRow(services.db.read, group.id);
  if (settings?.enabled === 0) {
    throw new RegistryRefusal('NAME_UNKNOWN', { message: 'the dependency proxy of this group is switched off' });
  }
  const upstream = openUpstream(services, settings, image);
  return { groupId: group.id, image, upstream, accept: request.headers.accept, signal: leaving(reply) };
}
