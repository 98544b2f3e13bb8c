import { escapeHtml } from '../../platform/http/responses/html.ts';
import { type Html, html, nothing, trusted } from '../frame/html.ts';
import { pageOf, withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';

/** A page of code stays below 30 KiB compressed: so many lines at most, and so many letters in them. */
const maxLines = 1_000;
const maxLetters = 36_000;
const fewestLines = 50;
const longestLine = 1_000;

/** Lines of a file that stand on one page. */
export interface LinePage {
  readonly page: number;
  readonly pages: number;
  /** How many lines each page has. */
  readonly size: number;
  /** The first and the last line, counted from one. */
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/** The part of a file that an address asks for; files of long lines have fewer on a page. */
export function linePage(visit: Pick<Visit, 'query'>, total: number, letters: number): LinePage {
  const average = Math.max(1, letters / Math.max(1, total));
  const size = Math.min(maxLines, Math.max(fewestLines, Math.floor(maxLetters / average)));
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(pageOf(visit), pages);
  const first = (page - 1) * size + 1;
  return { page, pages, size, first, last: Math.min(total, first + size - 1), total };
}

/** A line as it stands on a page: one that no screen could show ends early. */
export const cutLine = (line: string) =>
  line.length > longestLine
    ? `${line.slice(0, longestLine).toWellFormed()} … (${line.length - longestLine} more characters)`
    : line;

/** Lines of code, already HTML, with their numbers, which are links. */
export function codeTable(lines: readonly string[], first = 1): Html {
  const rows = lines.map((line, at) => {
    const number = first + at;
    return `<tr id="L${number}"><td class="num"><a href="#L${number}">${number}</a></td><td>${line}</td></tr>`;
  });
  return html`<div class="scroll"><table class="code">${trusted(rows.join(''))}</table></div>`;
}

/** The same of lines that are plain text. */
export const plainTable = (lines: readonly string[], first = 1) =>
  codeTable(
    lines.map((line) => escapeHtml(cutLine(line))),
    first,
  );

/** The way through a long file; the script finds by it the page of a line that an address names. */
export function linePager(visit: Visit, { page, pages, size, first, last, total }: LinePage): Html {
  if (pages === 1) return nothing;
  const link = (to: number, rel: string, text: string) =>
    to >= 1 &&
    to <= pages &&
    html`<a rel="${rel}" href="${withQuery(visit, { page: to === 1 ? undefined : String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Parts of this file" data-lines="${size}" data-page="${page}" data-pages="${pages}">${link(page - 1, 'prev', 'Lines before')} <span>Lines ${first} to ${last} of ${total}</span> ${link(page + 1, 'next', 'Lines after')}</nav>`;
}
