import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { bearerOf, challenge, isRepositoryName, RegistryRefusal } from '../../registry/public.ts';
import { openGroup } from './rights.ts';
import { settingsRow } from './store.ts';
import { openUpstream, type Upstream } from './upstream.ts';

/** An authorized pull of an image through a group. */
export interface Pull {
  readonly groupId: number;
  readonly image: string;
  readonly upstream: Upstream;
  /** The `Accept` header of the client. */
  readonly accept: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export type PullRequest = FastifyRequest<{ Params: { group: string; image: string; reference: string } }>;

function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Authorizes a pull; throws if the caller may not pull the image. */
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
    throw new RegistryRefusal('NAME_UNKNOWN', { message: 'the dependency proxy of this group is disabled' });
  }
  const upstream = openUpstream(services, settings, image);
  return { groupId: group.id, image, upstream, accept: request.headers.accept, signal: disconnectSignal(reply) };
}
