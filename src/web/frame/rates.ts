import { throttleRate } from '../../access/application-settings/effective.ts';
import { countWebRequest, retryText } from '../../access/limits/throttle.ts';
import { throttleHeaders } from '../../platform/http/server/rate-limits.ts';
import type { Visit } from './visit.ts';

/** Pages that could be abused for guessing passwords or sending e-mails. */
const guarded = /^\/users\/(sign_in|password|confirmation)\b/;

/** Consumes the page rate limit of a visitor; undefined if there is none. */
export async function pageRate(visit: Pick<Visit, 'services' | 'user' | 'request' | 'path'>) {
  const { services, user, request, path } = visit;
  const settings = await services.settings.read();
  const onGuarded =
    request.method === 'POST' && guarded.test(path) ? throttleRate(settings, 'protected_paths') : undefined;
  if (!onGuarded) return countWebRequest(services, { user }, request.ip);
  const name = 'throttle_unauthenticated_protected_paths';
  const state = await services.limits.count(name, request.ip, onGuarded);
  return {
    exceeded: state.exceeded,
    headers: throttleHeaders(name, state, onGuarded),
    retryMessage: retryText(settings),
  };
}
