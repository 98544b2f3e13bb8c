import { hash } from 'node:crypto';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { fileList, type ListedFile, nameOf, stateOf, sumOf } from './changed-files.ts';
import { drawLines } from './diff-colours.ts';
import { type DiffLine, lineCodes, readDiff, sideBySide, withContext } from './diff-lines.ts';
import { withoutSpaces } from './diff-spaces.ts';
import { isBinary, pictureDiff } from './pictures.ts';

const signs = { hunk: '', add: '+', del: '-', same: ' ', spaces: ' ', note: '' } as const;
const longestFile = 2_000;
const longestPage = 3_000;
const longestAlone = 10_000;

/** Annotations of a diff: links to lines, and the threads below them. */
export interface Remarks {
  /** URL of the form for commenting on a line. */
  lineLink(code: string): string;
  /** Threads on a line, or the comment form. */
  below(file: Entity, line: DiffLine, code: string): Html | undefined;
  /** Threads on the file, and those whose line is outdated. */
  above(file: Entity, at: number): Html | undefined;
  /** Coverage of a line of the new file, if known. */
  mark?(file: Entity, line: DiffLine): { readonly kind: string; readonly title: string } | undefined;
  /** Number of unresolved threads on the file. */
  open(file: Entity): number;
  /** URL of the form for commenting on the file. */
  fileLink?(at: number): string;
}

export interface DiffView {
  readonly home: string;
  /** The commit before the change, if known. */
  readonly before?: string | undefined;
  /** The commit after the change. */
  readonly sha: string;
  readonly visit: Visit;
  /** Full text of files that are shown with all context. */
  readonly whole?: ReadonlyMap<string, readonly string[]>;
  readonly remarks?: Remarks;
  /** Which file versions the user has marked as viewed, and the form that marks them. */
  readonly viewed?: { has(version: string): boolean; form(version: string, at: number): Html } | undefined;
  readonly hidesSpaces: boolean;
  /** All files of the change, if the page shows only some. */
  readonly all?: readonly Entity[] | undefined;
}

export const isParallel = ({ query }: Pick<Visit, 'query'>) => query.get('view') === 'parallel';

interface Cells {
  text(line: DiffLine): string;
  number(line: DiffLine | undefined, side: 'old' | 'new'): string;
  below(line: DiffLine | undefined, width: number): string;
}

function cellsOf(
  file: Entity,
  lines: readonly DiffLine[],
  texts: ReadonlyMap<DiffLine, string>,
  remarks: Remarks | undefined,
): Cells {
  const text = (line: DiffLine) => texts.get(line) ?? '';
  if (!remarks) return { text, number: (line, side) => `<td class="num">${line?.[side] ?? ''}</td>`, below: () => '' };
  const codes = lineCodes(file.new_path, lines);
  const anchored = new Set<string>();
  return {
    text,
    number(line, side) {
      const code = line && codes.get(line);
      const number = line?.[side];
      if (code === undefined || number === undefined) return '<td class="num"></td>';
      const id = anchored.has(code) ? '' : ` id="${code}"`;
      anchored.add(code);
      const known = side === 'new' && line ? remarks.mark?.(file, line) : undefined;
      const [kind, title] = known ? [` ${known.kind}`, ` title="${escapeHtml(known.title)}"`] : ['', ''];
      return `<td class="num${kind}"${id}${title}><a href="${escapeHtml(remarks.lineLink(code))}" title="Comment on this line">${number}</a></td>`;
    },
    below(line, width) {
      const code = line && codes.get(line);
      const remark = line && code !== undefined ? remarks.below(file, line, code) : undefined;
      return remark ? `<tr class="remarks"><td colspan="${width}">${remark.text}</td></tr>` : '';
    },
  };
}

function inlineRows(lines: readonly DiffLine[], cells: Cells): string {
  return lines
    .map(
      (line) =>
        `<tr class="${line.kind}">${cells.number(line, 'old')}${cells.number(line, 'new')}<td>${signs[line.kind]}${cells.text(line)}</td></tr>${cells.below(line, 3)}`,
    )
    .join('');
}

function parallelRows(lines: readonly DiffLine[], cells: Cells): string {
  const side = (line: DiffLine | undefined, which: 'old' | 'new') =>
    `${cells.number(line, which)}<td class="${line?.kind ?? 'none'}">${line ? cells.text(line) : ''}</td>`;
  return sideBySide(lines)
    .map((pair) => {
      if ('wide' in pair) return `<tr class="${pair.wide.kind}"><td colspan="4">${cells.text(pair.wide)}</td></tr>`;
      const { left, right } = pair;
      const below = cells.below(left, 4) + (right === left ? '' : cells.below(right, 4));
      return `<tr>${side(left, 'old')}${side(right, 'new')}</tr>${below}`;
    })
    .join('');
}

async function tableOf({ file, lines }: Shown, { visit, remarks }: DiffView, hasTime: boolean): Promise<Html> {
  const texts = await drawLines({ old_path: file.old_path, new_path: file.new_path }, lines, hasTime);
  const cells = cellsOf(file, lines, texts, remarks);
  const parallel = isParallel(visit);
  const rows = parallel ? parallelRows(lines, cells) : inlineRows(lines, cells);
  return html`<div class="scroll"><table class="code${parallel && ' parallel'}">${parallel && html`<colgroup><col><col><col><col></colgroup>`}${trusted(rows)}</table></div>`;
}

const linesOf = (changes: readonly DiffLine[], kind: DiffLine['kind']) =>
  changes.filter((line) => line.kind === kind).length;

/** Links that select the view. */
function viewLinks(visit: Visit, hidesSpaces: boolean): Html {
  const link = (view: string | undefined, text: string) =>
    (view === 'parallel') === isParallel(visit)
      ? html`<strong>${text}</strong>`
      : html`<a href="${withQuery(visit, { view, line: undefined })}">${text}</a>`;
  const spaces = html`<a href="${withQuery(visit, { w: hidesSpaces ? '0' : '1', line: undefined })}">${hidesSpaces ? 'Show' : 'Hide'} white space</a>`;
  return html`<span class="end row">${spaces}${link(undefined, 'Inline')}${link('parallel', 'Side by side')}</span>`;
}

function fileHeader(shown: Shown, { home, sha, visit, whole, remarks, viewed }: DiffView): Html {
  const { file, changes, at } = shown;
  const name = nameOf(file);
  const link = file.deleted_file
    ? name
    : html`<a href="${home}/-/blob/${encodePath(`${sha}/${file.new_path}`)}">${name}</a>`;
  const canExpand = whole !== undefined && !file.new_file && !file.deleted_file && changes.length > 0;
  const expand =
    canExpand &&
    (whole.has(file.new_path)
      ? html`<a href="${withQuery(visit, { expand: undefined })}#file-${at}">Only the changes</a>`
      : html`<a href="${withQuery(visit, { expand: file.new_path })}#file-${at}">Show full context</a>`);
  const say = remarks?.fileLink && html`<a href="${remarks.fileLink(at)}">Comment on the file</a>`;
  const blame =
    !file.deleted_file &&
    changes.length > 0 &&
    html`<a href="${home}/-/blame/${encodePath(`${sha}/${file.new_path}`)}">Blame</a>`;
  return html`<header class="row"><span>${link} <span class="muted">${stateOf(file)} ${sumOf([shown])}</span></span><span class="end row">${blame}${expand}${say}${viewed?.form(versionOf(file), at)}</span></header>`;
}

/** Explains why the changes of a file are not shown, with links to them. */
function tooLarge(file: Entity, { visit, home, sha }: DiffView, isHeld: boolean): Html {
  const alone = isHeld && html` <a href="${withQuery(visit, { only: file.new_path })}">Show only this file</a>.`;
  const whole =
    !file.deleted_file && html` <a href="${home}/-/blob/${encodePath(`${sha}/${file.new_path}`)}">Open the file</a>.`;
  return html`<p class="inner muted">Too large to display.${alone}${whole}</p>`;
}

/** A file of a diff on the page. */
interface Shown extends ListedFile {
  /** Starts at 1. */
  readonly at: number;
  readonly changes: readonly DiffLine[];
  /** The lines, with context if requested. */
  readonly lines: readonly DiffLine[];
  /** Whether it is too long for the page. */
  readonly isLong: boolean;
}

/** Selects the files to show; those that would make the page too long are only listed. */
function shownFiles(files: readonly Entity[], only: string | null, { whole, hidesSpaces }: DiffView): Shown[] {
  const longest = only === null ? longestFile : longestAlone;
  let left = only === null ? longestPage : longestAlone * 2;
  return files.map((file, index) => {
    const read = file.diff === '' || isBinary(file) ? [] : readDiff(file.diff);
    const changes = hidesSpaces && read.length <= longestAlone ? withoutSpaces(read) : read;
    const text = whole?.get(file.new_path);
    const lines = text && changes.length > 0 ? withContext(changes, text, longest) : changes;
    const fits = lines.length <= longest * 2 && changes.length <= longest && lines.length <= left;
    if (fits) left -= lines.length;
    return {
      file,
      at: index + 1,
      href: `#file-${index + 1}`,
      additions: linesOf(changes, 'add'),
      deletions: linesOf(changes, 'del'),
      changes,
      lines,
      isLong: !fits,
    };
  });
}

/** Hash of the change, by which a viewed mark detects that the file has changed since. */
const versionOf = (file: Entity): string => hash('sha1', `${file.old_path} ${file.diff}`);

async function fileSection(shown: Shown, view: DiffView, hasTime: boolean): Promise<Html> {
  const { file, at, lines, isLong } = shown;
  const isHeld = !file.too_large && !file.collapsed;
  const inner =
    isLong || !isHeld
      ? tooLarge(file, view, isHeld && !view.visit.query.has('only'))
      : lines.length === 0
        ? (pictureDiff(file, view) ??
          html`<p class="inner muted">Nothing to show: ${view.hidesSpaces && 'only whitespace has changed, or it is '}a binary file, or only its name or mode changed.</p>`)
        : await tableOf(shown, view, hasTime);
  // Must come after rendering the lines: only then is it known which threads are outdated.
  const above = view.remarks?.above(file, at);
  const isViewed = view.viewed?.has(versionOf(file)) === true;
  return html`<section class="box file${isViewed && ' viewed'}" id="file-${at}" data-path="${file.new_path}" data-old-path="${file.old_path}">${fileHeader(shown, view)}${above}${inner}</section>`;
}

/** Time limit for highlighting a page; later files are rendered without colours. */
const timeForColours = 1_500;

/** Renders the changes of the files, or of the one selected in the query. */
export async function diffFiles(files: readonly Entity[], view: DiffView): Promise<Html> {
  const only = view.visit.query.get('only');
  const chosen = only === null ? files : files.filter(({ new_path }) => new_path === only);
  const shown = shownFiles(chosen, only, view);
  const until = performance.now() + timeForColours;
  const sections: Html[] = [];
  for (const one of shown) sections.push(await fileSection(one, view, performance.now() < until));
  const all = only !== null && html`<a href="${withQuery(view.visit, { only: undefined })}">All files</a>`;
  const rest = only === null ? view.all : undefined;
  const list = fileList(view.visit, shown, rest, view.remarks?.open ?? (() => 0));
  const total = rest ?? shown;
  return html`<div class="changes${list && ' with-list'}">${list}<div><div class="row muted"><span>${count(total.length, 'file')} ${total.length > 0 && sumOf(total)}</span>${all}${view.viewed && html`<span data-viewed>${shown.filter(({ file }) => view.viewed?.has(versionOf(file))).length} of ${shown.length} viewed</span>`}${viewLinks(view.visit, view.hidesSpaces)}</div>${sections}</div></div>`;
}

const maxExpanded = 1_000_000;

/** Loads the text of the file that is to be shown with full context. */
export async function expandedFiles(
  { visit, api }: ProjectContext,
  sha: string,
): Promise<Map<string, readonly string[]>> {
  const path = visit.query.get('expand');
  const found = new Map<string, readonly string[]>();
  if (!path) return found;
  const url = `${api}/repository/files/${encodeURIComponent(path)}`;
  const head = await visit.api.ask('HEAD', url, { ref: sha });
  if (head.status !== 200 || Number(head.headers['x-gitlab-size']) > maxExpanded) return found;
  const { bytes } = await visit.api.page(`${url}/raw`, { ref: sha });
  return found.set(path, bytes.toString('utf8').replace(/\n$/, '').split('\n'));
}
