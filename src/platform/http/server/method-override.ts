import type { IncomingMessage } from 'node:http';

const verbs: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** The verb that a request means. Clients whose platform cannot send PATCH send POST and say so in a header. */
export function meantMethod({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | undefined {
  const meant = method === 'POST' ? headers['x-http-method-override'] : undefined;
  if (typeof meant !== 'string') return method;
  const verb = meant.toUpperCase();
  return verbs.has(verb) ? verb : method;
}
