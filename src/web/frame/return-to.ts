import type { Visit } from './visit.ts';

/** The page of ours that a form was sent from; undefined where the browser does not say. */
export function sentFrom({ request, services }: Visit): string | undefined {
  const { referer = '', host } = request.headers;
  if (!URL.canParse(referer)) return undefined;
  const from = new URL(referer);
  const isOurs = from.host === host || from.host === new URL(services.externalUrl).host;
  // An address that begins with two slashes leads to another site.
  return isOurs && !from.pathname.startsWith('//') ? from.pathname + from.search : undefined;
}

/** A page as its reader had it before they sent a form: with the part of a list, or the view, that they had chosen. */
export function asRead(visit: Visit, page: string): string {
  const from = sentFrom(visit);
  return from?.split('?', 1)[0] === page ? from : page;
}
