import { Refusal } from '../frame/api.ts';
import type { Visit } from '../frame/visit.ts';

/** Another site must not sign a browser in as somebody of its choosing: there is no session yet to prove a form by. */
export function refuseForeign({ request, services }: Visit): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal(403, 'The form is not ours.');
  if (origin === undefined) return;
  const ours = [new URL(services.externalUrl).host, host];
  if (!URL.canParse(origin) || !ours.includes(new URL(origin).host)) throw new Refusal(403, 'The form is not ours.');
}
