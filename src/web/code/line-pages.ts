import { escapeHtml } from '../../platform/http/responses/html.ts';
import { type Html, html, nothing, trusted } from '../frame/html.ts';
import { pageOf, withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';

/** Limits per page of code, which keep it below 30 KiB compressed. */
const maxLines = 1_000;
const maxLetters = 36_000;
const fewestLines = 50;
const longestLine = 1_000;

/** The lines of a file on one page. */
export interface LinePage {
  readonly page: number;
  readonly pages: number;
  /** Number of lines per page. */
  readonly size: number;
  /** First and last line, starting at 1. */
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/** Determines the requested page of a file; long lines reduce the number per page. */
export function linePage(visit: Pick<Visit, 'query'>, total: number, letters: number): LinePage {
  const average = Math.max(1, letters / Math.max(1, total));
  const size = Math.min(maxLines, Math.max(fewestLines, Math.floor(maxLetters / average)));
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(pageOf(visit), pages);
  const first = (page - 1) * size + 1;
  return { page, pages, size, first, last: Math.min(total, first + size - 1), total };
}

/** Truncates an extremely long line. */
export const cutLine = (line: string) =>
  line.length > longestLine
    ? `${line.slice(0, longestLine).toWellFormed()} … (${line.length - longestLine} more characters)`
    : line;

/** Renders highlighted lines with linked line numbers. */
export function codeTable(lines: readonly string[], first = 1): Html {
  const rows = lines.map((line, at) => {
    const number = first + at;
    return `<tr id="L${number}"><td class="num"><a href="#L${number}">${number}</a></td><td>${line}</td></tr>`;
  });
  return html`<div class="scroll"><table class="code">${trusted(rows.join(''))}</table></div>`;
}

/** Renders plain text lines with linked line numbers. */
export const plainTable = (lines: readonly string[], first = 1) =>
  codeTable(
    lines.map((line) => escapeHtml(cutLine(line))),
    first,
  );

/** Pagination of a long file; a script uses its data to find the page of a line in the URL's fragment. */
export function linePager(visit: Visit, { page, pages, size, first, last, total }: LinePage): Html {
  if (pages === 1) return nothing;
  const link = (to: number, rel: string, text: string) =>
    to >= 1 &&
    to <= pages &&
    html`<a rel="${rel}" href="${withQuery(visit, { page: to === 1 ? undefined : String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Parts of this file" data-lines="${size}" data-page="${page}" data-pages="${pages}">${link(page - 1, 'prev', 'Lines before')} <span>Lines ${first} to ${last} of ${total}</span> ${link(page + 1, 'next', 'Lines after')}</nav>`;
}
