import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../responses/html.ts';

/** A page with one message, and perhaps one button. */
export interface SmallPage {
  readonly status?: number;
  readonly title: string;
  readonly says: string;
  /** The label of the button, which posts to the page's own URL. */
  readonly button?: string;
  /** Where to go from here. */
  readonly next?: { readonly text: string; readonly url: string };
}

/** Inlined, because the page knows neither the assets nor the appearance of the instance. */
const style = `:root { color-scheme: light dark; }
body { margin: 0; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: light-dark(#1b1f24, #e3e6ea); background: light-dark(#ffffff, #15181d); }
main { box-sizing: border-box; max-width: 24rem; margin: 4rem auto; padding: 1.5rem; border: 1px solid light-dark(#dcdee3, #343a44); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.4rem; line-height: 1.3; }
a { color: light-dark(#0b57c2, #84b8ff); }
button { width: 100%; padding: 0.5rem; font: inherit; color: #ffffff; background: light-dark(#b8480b, #c8510f); border: 0; border-radius: 6px; cursor: pointer; }
`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The URL is a secret: it must not be sent as a referrer.
  'referrer-policy': 'no-referrer',
};

function renderPage({ title, says, button, next }: SmallPage): string {
  const form =
    button === undefined ? '' : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>\n`;
  const link = next === undefined ? '' : `<p><a href="${escapeHtml(next.url)}">${escapeHtml(next.text)}</a></p>\n`;
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style>`;
  const main = `<main>\n<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(says)}</p>\n${form}${link}</main>`;
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
