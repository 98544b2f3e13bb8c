import type { IncomingHttpHeaders } from 'node:http';

const modes = new Set(['cors', 'no-cors', 'websocket']);
const kinds = /^\s*(?:image|audio|video)\/|^\s*text\/css\b/i;

/**
 * Whether a page of another site asks, as for a picture or a style: a browser says so by itself. Archives are expensive,
 * and a page that embeds one makes all its visitors ask.
 */
export function isEmbedded(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  if (typeof mode === 'string' && modes.has(mode.toLowerCase()) && !isNodeFetch(headers)) return true;
  return kinds.test((headers.accept ?? '').split(',', 1)[0] ?? '');
}

// `fetch` of Node claims the mode `cors` in every request and cannot be told otherwise; no browser says `*` for a
// language, nor leaves out the site. Clients of the API are not to be shut out for it.
function isNodeFetch(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === undefined && headers['accept-language'] === '*';
}
