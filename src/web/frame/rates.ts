import { throttleRate } from '../../access/application-settings/effective.ts';
import { throttleHeaders } from '../../platform/http/server/rate-limits.ts';
import type { Visit } from './visit.ts';

/** Where somebody could try one password after the other, or have one letter after the other sent. */
const guarded = /^\/users\/(sign_in|password|confirmation)\b/;

/** Where a visitor stands against the throttle of pages; undefined where there is none. */
export async function pageRate(visit: Pick<Visit, 'services' | 'user' | 'request' | 'path'>) {
  const { services, user, request, path } = visit;
  const settings = await services.settings.read();
  const onGuarded =
    request.method === 'POST' && guarded.test(path) ? throttleRate(settings, 'protected_paths') : undefined;
  const usual = user ? 'authenticated_web' : 'unauthenticated_web';
  const rate = onGuarded ?? throttleRate(settings, usual);
  if (!rate) return undefined;
  const name = `throttle_${onGuarded ? 'unauthenticated_protected_paths' : usual}`;
  const state = await services.limits.count(name, onGuarded || !user ? request.ip : user.id, rate);
  const said = settings.rate_limiting_response_text?.trim() || 'Retry later';
  return { exceeded: state.exceeded, headers: throttleHeaders(name, state, rate), said };
}
