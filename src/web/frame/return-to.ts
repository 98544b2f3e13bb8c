import type { Visit } from './visit.ts';

/** Returns the page that a form was sent from; undefined if the browser does not send it. */
export function referringPage({ request, services }: Visit): string | undefined {
  const { referer = '', host } = request.headers;
  if (!URL.canParse(referer)) return undefined;
  const from = new URL(referer);
  const isOurs = from.host === host || from.host === new URL(services.externalUrl).host;
  // A path that starts with two slashes refers to another host.
  return isOurs && !from.pathname.startsWith('//') ? from.pathname + from.search : undefined;
}

/** Returns the page with the query that the user had before submitting the form, such as the page number or view. */
export function returnAddress(visit: Visit, page: string): string {
  const from = referringPage(visit);
  return from?.split('?', 1)[0] === page ? from : page;
}
