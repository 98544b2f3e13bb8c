import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../responses/html.ts';

/** A page with one message, and perhaps one button. */
export interface SmallPage {
  readonly status?: number;
  readonly title: string;
  readonly says: string;
  /** The label of the button, which posts to the page's own URL. */
  readonly button?: string;
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The URL is a secret: it must not be sent as a referrer.
  'referrer-policy': 'no-referrer',
};

function renderPage({ title, says, button }: SmallPage): string {
  const form =
    button === undefined ? '' : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>\n`;
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">`;
  const main = `<main>\n<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(says)}</p>\n${form}</main>`;
  return `<!doctype html>\n<html lang="en">\n<head>${head}<title>${escapeHtml(title)}</title></head>\n<body>\n${main}\n</body>\n</html>\n`;
}

type Answering = (secret: string) => Promise<SmallPage>;

/**
 * Serves a link from an email that works without signing in. Link scanners open links before people do, so a GET
 * changes nothing: the action needs the button, or a mail program that sends the same POST.
 */
export async function serveEmailLink(
  app: FastifyInstance,
  path: string,
  secretOf: (request: FastifyRequest) => string,
  { ask, act }: { readonly ask: Answering; readonly act: Answering },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 10_000 }, (_request, _body, done) => done(null));
    const send = (reply: FastifyReply, page: SmallPage) =>
      reply
        .status(page.status ?? 200)
        .headers(headers)
        .send(renderPage(page));
    scope.get(path, async (request, reply) => send(reply, await ask(secretOf(request))));
    scope.post(path, async (request, reply) => send(reply, await act(secretOf(request))));
  });
}
