import type { IncomingHttpHeaders } from 'node:http';

const modes = new Set(['cors', 'no-cors', 'websocket']);
const kinds = /^\s*(?:image|audio|video)\/|^\s*text\/css\b/i;

/**
 * Whether another site embeds the archive, e.g. as an image or a style sheet, judged by what browsers send with such
 * requests. Archives are expensive, and an embedding page would make all its visitors request one.
 */
export function isEmbedded(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  if (typeof mode === 'string' && modes.has(mode.toLowerCase()) && !isNodeFetch(headers)) return true;
  return kinds.test((headers.accept ?? '').split(',', 1)[0] ?? '');
}

// Node's `fetch` sends `sec-fetch-mode: cors` with every request, and this cannot be turned off. Unlike browsers it
// sends `accept-language: *` and no `sec-fetch-site`. API clients using it must not be blocked.
function isNodeFetch(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === undefined && headers['accept-language'] === '*';
}
