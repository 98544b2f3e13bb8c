import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../platform/http/errors.ts';
import { type Actor, isAdmin } from '../actor.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { Services } from '../services.ts';

const refusal = 'You cannot perform write operations on a read-only instance';

/** The error message for writes in maintenance mode; undefined if writes are allowed. */
export async function maintenanceRefusal({ settings }: Pick<Services, 'settings'>): Promise<string | undefined> {
  const { maintenance_mode, maintenance_mode_message } = await settings.read();
  return maintenance_mode ? maintenance_mode_message?.trim() || refusal : undefined;
}

// Administrators must be able to end maintenance mode.
const endsIt = (actor: Actor, { method, url }: FastifyRequest) =>
  method === 'PUT' && isAdmin(actor) && /^\/api\/v4\/application\/settings\/?(\?|$)/.test(url);

/** Rejects writing calls in maintenance mode. */
export function createMaintenance({ settings }: Pick<Services, 'settings'>) {
  const check = (set: ApplicationSettings, actor: Actor, request: FastifyRequest) => {
    if (set.maintenance_mode && !endsIt(actor, request)) throw new HttpError(403, { message: refusal });
  };
  return (actor: Actor, request: FastifyRequest): Promise<void> | undefined => {
    if (request.method === 'GET' || request.method === 'HEAD') return undefined;
    const known = settings.known();
    if (!known) return settings.read().then((set) => check(set, actor, request));
    check(known, actor, request);
    return undefined;
  };
}
