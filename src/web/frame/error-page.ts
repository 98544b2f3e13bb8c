import { html } from './html.ts';
import { layout } from './layout.ts';
import type { Outcome, Visit } from './visit.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'That request cannot be carried out',
  401: 'Please sign in',
  403: 'You may not do this',
  404: 'Page not found',
  409: 'Something else has changed it meanwhile',
  413: 'That is too large',
  422: 'That cannot be done',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The server is busy',
};

function advice(visit: Visit, status: number) {
  if (status === 404 && !visit.user) {
    return html`It may not exist, or you may have to <a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">sign in</a> to see it.`;
  }
  if (status === 404)
    return 'It may not exist, or you may not be allowed to see it. Check the address, or ask whoever sent you here.';
  if (status === 429 || status === 503) return 'Wait a moment, then try again.';
  if (status >= 500) return 'Try again; if it stays so, tell whoever runs this server the number below.';
  return 'Go back, and change what you sent.';
}

/** What somebody sees who cannot get what they asked for: what to do, and the number under which the server noted it. */
export function errorPage(visit: Visit, status: number, reason = ''): Outcome {
  const title = titles[status] ?? `Error ${status}`;
  const said = status === 404 || status >= 500 ? '' : reason;
  return {
    status,
    page: layout(visit, {
      title,
      body: html`<section class="problem"><p class="number">${status}</p><h1>${title}</h1>${said !== '' && html`<p>${said}</p>`}<p>${advice(visit, status)}</p><p><a href="${visit.base}/">Home</a> · <a href="${visit.base}/explore">Explore projects</a></p><p class="muted">Request ${visit.request.id}</p></section>`,
    }),
  };
}
