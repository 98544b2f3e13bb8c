import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';

/** The content security policy forbids redirecting a form to another origin, so this page does it. */
export function externalRedirectPage(visit: Visit, address: string, title: string): Outcome {
  visit.reply.header('refresh', `0; url=${address}`);
  const body = html`<div class="card narrow"><h1>${title}</h1><p><a href="${address}" rel="noreferrer">Go on</a></p></div>`;
  return { page: layout(visit, { title, body }) };
}
