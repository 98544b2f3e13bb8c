const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

/** A link of a page that pip reads. */
export interface Link {
  readonly href: string;
  readonly text: string;
  readonly requiresPython?: string | null;
}

/** The text of such a page, made while its links are read. */
export async function* simplePage(title: string, links: AsyncIterable<Link>): AsyncGenerator<string> {
  const shown = escaped(title);
  yield `<!DOCTYPE html>\n<html>\n<head><title>${shown}</title></head>\n<body>\n<h1>${shown}</h1>\n`;
  for await (const { href, text, requiresPython } of links) {
    const needs = requiresPython ? ` data-requires-python="${escaped(requiresPython)}"` : '';
    yield `<a href="${escaped(href)}"${needs}>${escaped(text)}</a><br>\n`;
  }
  yield '</body>\n</html>\n';
}
