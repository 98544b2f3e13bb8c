import { hiddenFields } from '../forms/card.ts';
import type { ApiAnswer, Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';

/** Returns the number of unresolved threads on a file. */
export type OpenThreads = (file: Entity) => number;

/** A changed file in the file list. */
export interface ListedFile {
  readonly file: Entity;
  readonly href: string;
  readonly additions: number;
  readonly deletions: number;
}

/** Maximum number of listed files; others are found by searching for their path. */
const maxListed = 1_000;
const fewForSearch = 10;

/** Query parameters that refer to one page of a diff rather than to all of it. */
const ofOnePage = ['page', 'line', 'file', 'expand', 'only', 'search'];

export const nameOf = (file: Entity) =>
  file.renamed_file ? `${file.old_path} → ${file.new_path}` : (file.new_path as string);

export const stateOf = (file: Entity) =>
  file.new_file ? 'new' : file.deleted_file ? 'deleted' : file.renamed_file ? 'renamed' : '';

/** The sums of added and removed lines. */
export const sumOf = (files: readonly { readonly additions: number; readonly deletions: number }[]) => {
  const sum = (side: 'additions' | 'deletions') => files.reduce((all, file) => all + file[side], 0);
  return html`<span class="sum">+${sum('additions')} −${sum('deletions')}</span>`;
};

/** Whether the request is for the file list alone, which the frame beside the diff loads. */
export const asksForFiles = ({ query }: Pick<Visit, 'query'>) => query.has('files');

/** Whether the page shows only some of the changed files. */
export const isPart = (visit: Pick<Visit, 'query'>, headers: ApiAnswer['headers']) =>
  pageOf(visit) > 1 || String(headers['x-next-page'] ?? '') !== '';

/** URL of the whole diff, without page-specific parameters. */
const wholeChange = (visit: Visit, changes: Readonly<Record<string, string | undefined>>) =>
  withQuery(visit, { ...Object.fromEntries(ofOnePage.map((name) => [name, undefined])), ...changes });

/** Renders files by directory, with links and their status. */
function drawList(files: readonly ListedFile[], open: OpenThreads): Html {
  const folderOf = ({ file }: ListedFile) => (file.new_path as string).slice(0, file.new_path.lastIndexOf('/') + 1);
  const entry = (listed: ListedFile) => {
    const { file, href } = listed;
    const waiting = open(file);
    return html`<li class="row"><a href="${href}" title="${nameOf(file)}">${file.new_path.slice(file.new_path.lastIndexOf('/') + 1)}</a><span class="end muted">${waiting > 0 && html`<span title="${count(waiting, 'open thread')}">${waiting} open</span> `}${stateOf(file)} ${sumOf([listed])}</span></li>`;
  };
  const groups = [...Map.groupBy(files, folderOf)].map(
    ([folder, inFolder]) =>
      html`<li>${folder !== '' && html`<span class="muted">${folder}</span>`}<ul>${inFolder.map(entry)}</ul></li>`,
  );
  return html`<ul>${groups}</ul>`;
}

const searchId = 'find-changed';
/** Keyboard shortcuts of diff pages. */
export const changesShortcuts = { f: `#${searchId}` };

function searchForm(visit: Visit): Html {
  const keptParams = [...visit.query].filter(([name]) => name !== 'files' && !ofOnePage.includes(name));
  return html`<form role="search" action="${visit.base}${visit.path}" data-turbo-frame="changed-files">${hiddenFields({ ...Object.fromEntries(keptParams), files: '1' })}<input id="${searchId}" type="search" name="search" value="${visit.query.get('search') ?? ''}" aria-label="Find a file of the change" placeholder="Find a file" aria-keyshortcuts="f" data-send-typed><button>Find</button></form>`;
}

/**
 * The file list beside a diff. If the diff is paginated, it starts with the files of the page until the frame has
 * loaded all: thousands of entries would make every page slow.
 */
export function fileList(
  visit: Visit,
  shown: readonly ListedFile[],
  all: readonly Entity[] | undefined,
  open: OpenThreads,
): Html | false {
  const total = all?.length ?? shown.length;
  if (total < 2) return false;
  const source = all && wholeChange(visit, { files: '1' });
  const hasSearch = total > fewForSearch;
  const focus = !hasSearch && html` id="${searchId}" tabindex="-1"`;
  const more = source && html`<p><a href="${source}">All ${count(total, 'file')}</a></p>`;
  return html`<nav class="box files"${focus} aria-label="Changed files">${hasSearch && searchForm(visit)}<turbo-frame id="changed-files" target="_top" data-keep${source && html` src="${source}"`}>${more}${drawList(shown, open)}</turbo-frame></nav>`;
}

/** Filters files whose old or new path contains all words. */
export function filesWith(files: readonly Entity[], search: string): readonly (readonly [Entity, number])[] {
  const words = search.toLowerCase().split(/\s+/);
  return files
    .map((file, at) => [file, at] as const)
    .filter(([file]) => {
      const paths = `${file.old_path}\n${file.new_path}`.toLowerCase();
      return words.every((word) => paths.includes(word));
    });
}

/** The complete file list with links to the page of each file; content of the frame beside the diff. */
export function wholeFileList(
  visit: Visit,
  files: readonly Entity[],
  perPage: number,
  open: OpenThreads = () => 0,
): Html {
  const search = (visit.query.get('search') ?? '').slice(0, 200).trim();
  const found = filesWith(files, search);
  const listed = found.slice(0, maxListed).map(([file, at]): ListedFile => {
    const page = Math.floor(at / perPage) + 1;
    const address = wholeChange(visit, { files: undefined, page: page === 1 ? undefined : String(page) });
    return {
      file,
      href: `${address}#file-${(at % perPage) + 1}`,
      additions: file.additions,
      deletions: file.deletions,
    };
  });
  const cut =
    found.length > maxListed &&
    html`<p class="muted">The first ${maxListed} of ${found.length} are listed. Search to find the others.</p>`;
  const none = found.length === 0 && html`<p class="muted" role="status">No matching files.</p>`;
  return html`<nav class="box files" aria-label="Changed files">${searchForm(visit)}<turbo-frame id="changed-files" target="_top">${none}${drawList(listed, open)}${cut}</turbo-frame></nav>`;
}
