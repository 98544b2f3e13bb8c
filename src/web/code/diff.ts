import { escapeHtml } from '../../platform/http/answers/html.ts';
import { inAddress } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { type DiffLine, lineCodes, readDiff, sideBySide, withContext } from './diff-lines.ts';

const signs = { hunk: '', add: '+', del: '-', same: ' ', note: '' } as const;
const longestFile = 2_000;
const longestPage = 3_000;
const longestAlone = 10_000;
const longestLine = 2_000;

/** What a page says about lines of its diff: links to them, and what stands below them. */
export interface Remarks {
  /** Where one says something about a line. */
  lineLink(code: string): string;
  /** What has been said about it, or the form to say it. */
  below(file: Entity, line: DiffLine, code: string): Html | undefined;
  /** What has been said about the file, or about lines that are no longer there. */
  above(file: Entity): Html | undefined;
}

export interface DiffView {
  readonly home: string;
  /** The commit after the change. */
  readonly sha: string;
  readonly visit: Visit;
  /** The whole text of files that are shown with all that is around the change. */
  readonly whole?: ReadonlyMap<string, readonly string[]>;
  readonly remarks?: Remarks;
}

export const isParallel = ({ query }: Pick<Visit, 'query'>) => query.get('view') === 'parallel';

const cutText = (text: string) => escapeHtml(text.length > longestLine ? `${text.slice(0, longestLine)} …` : text);

interface Cells {
  number(line: DiffLine | undefined, side: 'old' | 'new'): string;
  below(line: DiffLine | undefined, width: number): string;
}

function cellsOf(file: Entity, lines: readonly DiffLine[], remarks: Remarks | undefined): Cells {
  if (!remarks) return { number: (line, side) => `<td class="num">${line?.[side] ?? ''}</td>`, below: () => '' };
  const codes = lineCodes(file.new_path, lines);
  const anchored = new Set<string>();
  return {
    number(line, side) {
      const code = line && codes.get(line);
      const number = line?.[side];
      if (code === undefined || number === undefined) return '<td class="num"></td>';
      const id = anchored.has(code) ? '' : ` id="${code}"`;
      anchored.add(code);
      return `<td class="num"${id}><a href="${escapeHtml(remarks.lineLink(code))}" title="Comment on this line">${number}</a></td>`;
    },
    below(line, width) {
      const code = line && codes.get(line);
      const said = line && code !== undefined ? remarks.below(file, line, code) : undefined;
      return said ? `<tr class="remarks"><td colspan="${width}">${said.text}</td></tr>` : '';
    },
  };
}

function inlineRows(lines: readonly DiffLine[], cells: Cells): string {
  return lines
    .map(
      (line) =>
        `<tr class="${line.kind}">${cells.number(line, 'old')}${cells.number(line, 'new')}<td>${signs[line.kind]}${cutText(line.text)}</td></tr>${cells.below(line, 3)}`,
    )
    .join('');
}

function parallelRows(lines: readonly DiffLine[], cells: Cells): string {
  const side = (line: DiffLine | undefined, which: 'old' | 'new') =>
    `${cells.number(line, which)}<td class="${line?.kind ?? 'none'}">${line ? cutText(line.text) : ''}</td>`;
  return sideBySide(lines)
    .map((pair) => {
      if ('wide' in pair) return `<tr class="${pair.wide.kind}"><td colspan="4">${cutText(pair.wide.text)}</td></tr>`;
      const { left, right } = pair;
      const below = cells.below(left, 4) + (right === left ? '' : cells.below(right, 4));
      return `<tr>${side(left, 'old')}${side(right, 'new')}</tr>${below}`;
    })
    .join('');
}

function tableOf(file: Entity, lines: readonly DiffLine[], { visit, remarks }: DiffView): Html {
  const cells = cellsOf(file, lines, remarks);
  const parallel = isParallel(visit);
  const rows = parallel ? parallelRows(lines, cells) : inlineRows(lines, cells);
  return html`<div class="scroll"><table class="code${parallel && ' parallel'}">${trusted(rows)}</table></div>`;
}

/** How the changes are to be shown. */
function viewLinks(visit: Visit): Html {
  const link = (view: string | undefined, text: string) =>
    (view === 'parallel') === isParallel(visit)
      ? html`<strong>${text}</strong>`
      : html`<a href="${withQuery(visit, { view, line: undefined })}">${text}</a>`;
  return html`<span class="end row">${link(undefined, 'Inline')}${link('parallel', 'Side by side')}</span>`;
}

function fileHeader(file: Entity, lines: readonly DiffLine[], { home, sha, visit, whole }: DiffView, at: number): Html {
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path;
  const state = file.new_file ? 'new' : file.deleted_file ? 'deleted' : file.renamed_file ? 'renamed' : '';
  const link = file.deleted_file
    ? name
    : html`<a href="${home}/-/blob/${inAddress(`${sha}/${file.new_path}`)}">${name}</a>`;
  const changed = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const canExpand = whole !== undefined && !file.new_file && !file.deleted_file && lines.length > 0;
  const expand =
    canExpand &&
    (whole.has(file.new_path)
      ? html`<a href="${withQuery(visit, { expand: undefined })}#file-${at + 1}">Only the changes</a>`
      : html`<a href="${withQuery(visit, { expand: file.new_path })}#file-${at + 1}">Show more around</a>`);
  return html`<header class="row"><span>${link} <span class="muted">${state} +${changed('add')} −${changed('del')}</span></span><span class="end">${expand}</span></header>`;
}

/** What is said of a file whose changes are not shown, and the way to them. */
function tooLarge(file: Entity, { visit, home, sha }: DiffView, isHeld: boolean): Html {
  const alone = isHeld && html` <a href="${withQuery(visit, { only: file.new_path })}">Show its changes alone</a>.`;
  const whole =
    !file.deleted_file && html` <a href="${home}/-/blob/${inAddress(`${sha}/${file.new_path}`)}">Open the file</a>.`;
  return html`<p class="inner muted">Too large to be shown here.${alone}${whole}</p>`;
}

/** The changes of some files, or of the one that the address asks for; what would make the page too long is said instead of shown. */
export function diffFiles(files: readonly Entity[], view: DiffView): Html {
  const only = view.visit.query.get('only');
  const chosen = only === null ? files : files.filter(({ new_path }) => new_path === only);
  const longest = only === null ? longestFile : longestAlone;
  let left = only === null ? longestPage : longestAlone * 2;
  const parts = chosen.map((file, at) => {
    const changes = file.diff === '' ? [] : readDiff(file.diff);
    const text = view.whole?.get(file.new_path);
    const lines = text && changes.length > 0 ? withContext(changes, text, longest) : changes;
    const fits = lines.length <= longest * 2 && changes.length <= longest && lines.length <= left;
    if (fits) left -= lines.length;
    const isHeld = !file.too_large && !file.collapsed;
    const inner = !(fits && isHeld)
      ? tooLarge(file, view, isHeld && only === null)
      : lines.length === 0
        ? html`<p class="inner muted">Nothing to show: a binary file, or only its name or mode changed.</p>`
        : tableOf(file, lines, view);
    // Only now it is known which remarks have found their line.
    const above = view.remarks?.above(file);
    return html`<section class="box" id="file-${at + 1}">${fileHeader(file, changes, view, at)}${above}${inner}</section>`;
  });
  const all = only !== null && html`<a href="${withQuery(view.visit, { only: undefined })}">All files</a>`;
  return html`<div class="row muted">${count(chosen.length, 'file')}${all}${viewLinks(view.visit)}</div>${parts}`;
}

const mostExpanded = 1_000_000;

/** The text of the file that the address asks to be shown with what is around its changes. */
export async function expandedFiles(
  { visit, api }: ProjectContext,
  sha: string,
): Promise<Map<string, readonly string[]>> {
  const path = visit.query.get('expand');
  const found = new Map<string, readonly string[]>();
  if (!path) return found;
  const url = `${api}/repository/files/${encodeURIComponent(path)}`;
  const head = await visit.api.ask('HEAD', url, { ref: sha });
  if (head.status !== 200 || Number(head.headers['x-gitlab-size']) > mostExpanded) return found;
  const { bytes } = await visit.api.page(`${url}/raw`, { ref: sha });
  return found.set(path, bytes.toString('utf8').replace(/\n$/, '').split('\n'));
}
