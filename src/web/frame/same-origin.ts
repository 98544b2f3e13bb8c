import { Refusal } from './api.ts';
import type { Visit } from './visit.ts';

/**
 * Rejects forms from other sites, including those without a CSRF token: otherwise another site could sign the browser
 * in to an account of its choosing. Non-browser clients do not send these headers.
 */
export function refuseForeign({ request, services }: Visit): void {
  const { origin, referer, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Refusal(403, 'The form was sent from another site.');
  const from = origin ?? (referer === '' ? undefined : referer);
  if (from === undefined) return;
  const ours = [new URL(services.externalUrl).host, host];
  if (!URL.canParse(from) || !ours.includes(new URL(from).host))
    throw new Refusal(403, 'The form was sent from another site.');
}
