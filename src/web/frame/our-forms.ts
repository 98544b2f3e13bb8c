import { Refusal } from './api.ts';
import type { Visit } from './visit.ts';

/**
 * No other site sends a form here, whatever it has got hold of: not even one that needs no proof, by which it could sign
 * a browser in as somebody of its choosing. Programs say nothing of where they come from.
 */
export function refuseForeign({ request, services }: Visit): void {
  const { origin, referer, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal(403, 'The form is not ours.');
  const from = origin ?? (referer === '' ? undefined : referer);
  if (from === undefined) return;
  const ours = [new URL(services.externalUrl).host, host];
  if (!URL.canParse(from) || !ours.includes(new URL(from).host)) throw new Refusal(403, 'The form is not ours.');
}
