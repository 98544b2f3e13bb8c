import { escapeHtml } from '../../../platform/http/responses/html.ts';

/** A link on a page read by pip. */
export interface Link {
  readonly href: string;
  readonly text: string;
  readonly requiresPython?: string | null;
}

/** Streams the HTML of a simple index page. */
export async function* simplePage(title: string, links: AsyncIterable<Link>): AsyncGenerator<string> {
  const shown = escapeHtml(title);
  yield `<!DOCTYPE html>\n<html>\n<head><title>${shown}</title></head>\n<body>\n<h1>${shown}</h1>\n`;
  for await (const { href, text, requiresPython } of links) {
    const needs = requiresPython ? ` data-requires-python="${escapeHtml(requiresPython)}"` : '';
    yield `<a href="${escapeHtml(href)}"${needs}>${escapeHtml(text)}</a><br>\n`;
  }
  yield '</body>\n</html>\n';
}
