import { setImmediate, setTimeout } from 'node:timers/promises';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { icon } from '../frame/layout.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { mayEdit } from './edit.ts';
import { commitLine, pathLinks } from './file-frame.ts';
import { renderFile } from './markdown-file.ts';
import { type PathAtRef, splitRef } from './ref.ts';

const kinds: Readonly<Record<string, readonly [string, string]>> = {
  tree: ['folder', 'Folder'],
  blob: ['file', 'File'],
  commit: ['submodule', 'Submodule'],
};

const changeOf = ({ home }: ProjectContext, change: Entity | undefined): Html | undefined =>
  change &&
  html`<a class="change" href="${home}/-/commit/${change.id}">${change.title}</a><span class="end muted">${relativeTime(change.committed_date)}</span>`;

/** Query parameter of requests that wait for the last commits of all entries. */
const withChanges = 'changes';

/**
 * Returns the result if it is available almost at once. Otherwise the page is rendered without it, and the result is
 * cached for the next request.
 */
async function soon<T>(finding: Promise<T>): Promise<T | undefined> {
  return Promise.race([finding, setTimeout(15, undefined, { ref: false })]);
}

/** Lists one page of a directory. Last commits that are not available at once are loaded afterwards. */
export async function treeTable(
  context: ProjectContext,
  at: PathAtRef,
): Promise<{ table: Html; entries: readonly Entity[] }> {
  const { visit, api, home } = context;
  const query = { ref: at.commit.id, path: at.path, per_page: 100, page: pageOf(visit) };
  const finding: Promise<readonly Entity[] | undefined> = visit.api.maybe(`${api}/repository/tree/last_commits`, query);
  // An error is reported to whoever awaits the promise, and the frame below requests the data again.
  finding.catch(() => {});
  const answer = await visit.api.page(`${api}/repository/tree`, query);
  const entries = answer.body as readonly Entity[];
  const waits = visit.query.has(withChanges);
  const changed = await (waits ? finding : soon(finding));
  const changes = new Map(changed?.map(({ name, commit }) => [name, commit]));
  const row = (entry: Entity) => {
    const address = `${home}/-/${entry.type === 'tree' ? 'tree' : 'blob'}/${encodePath(`${at.ref}/${entry.path}`)}`;
    const name =
      entry.type === 'commit'
        ? html`${entry.name} @ <code>${entry.id.slice(0, 8)}</code>`
        : html`<a class="main" href="${address}">${entry.name}</a>`;
    const [picture, kind] = kinds[entry.type] ?? ['file', entry.type];
    return html`<li class="row entry entry-${picture}">${icon(picture)}<span class="hidden">${kind}</span> ${name}${changeOf(context, changes.get(entry.name))}</li>`;
  };
  const later = changed === undefined && !waits && html` src="${withQuery(visit, { [withChanges]: '1' })}"`;
  const list = html`<turbo-frame id="entries" target="_top" data-keep${later}><ul class="list joined">${entries.map(row)}</ul></turbo-frame>`;
  return { entries, table: html`${list}${pager(visit, answer)}` };
}

const readmeName = /^readme(\.(md|markdown|mdown|txt|rst|adoc))?$/i;

/** Renders the README of a directory, if any. */
export async function readmeOf(
  context: ProjectContext,
  at: PathAtRef,
  entries: readonly Entity[],
): Promise<Html | false> {
  const entry = entries.find(({ name, type }) => type === 'blob' && readmeName.test(name));
  if (!entry) return false;
  const { visit, api, home } = context;
  const url = `${api}/repository/files/${encodeURIComponent(entry.path)}`;
  const head = await visit.api.ask('HEAD', url, { ref: at.commit.id });
  if (head.status !== 200 || Number(head.headers['x-gitlab-size']) > 500_000) return false;
  const answer = await visit.api.page(`${url}/raw`, { ref: at.commit.id });
  const text = answer.bytes.toString('utf8');
  const isMarkdown = /\.(md|markdown|mdown)$/i.test(entry.name);
  const inner = isMarkdown ? await renderFile(context, at, entry.path, text) : html`<pre>${text}</pre>`;
  const address = `${home}/-/blob/${encodePath(`${at.ref}/${entry.path}`)}`;
  return html`<section class="box"><header><a href="${address}">${entry.name}</a></header><div class="inner">${inner}</div></section>`;
}

const addressOf = ({ ref, path }: PathAtRef) => encodePath([ref, path].filter(Boolean).join('/'));

/** Actions for a directory. */
export function treeLinks(context: ProjectContext, at: PathAtRef): Html {
  const { home, project } = context;
  const address = addressOf(at);
  const archive = `${encodePath(at.ref)}/${encodePath(project.path)}-${encodeURIComponent(at.ref.replaceAll('/', '-'))}.zip`;
  const changes =
    mayEdit(context, at) &&
    html`<span class="end row"><a class="button" href="${home}/-/new/${address}">New file</a><a class="button" href="${home}/-/upload/${address}">Upload file</a></span>`;
  return html`<div class="row links"><a href="${home}/-/commits/${address}">History</a><a href="${home}/-/find_file/${encodePath(at.ref)}">Find file</a><a href="${home}/-/archive/${archive}">Download as zip</a>${changes}</div>`;
}

export async function treePage(context: ProjectContext): Promise<Outcome> {
  const { visit, home, project } = context;
  // The page of the project explains how to add files.
  if (project.empty_repo === true) return { redirect: home };
  const at = await splitRef(context, visit.params.address ?? project.default_branch ?? 'HEAD');
  const { table, entries } = await treeTable(context, at);
  const body = html`<h1 class="hidden">Files</h1>${pathLinks(context, at, 'tree')}${treeLinks(context, at)}<div class="box"><header>${commitLine(context, at.commit)}</header></div>${table}${await readmeOf(context, at, entries)}`;
  const permanent = `${home}/-/tree/${at.commit.id}${at.path === '' ? '' : `/${encodePath(at.path)}`}`;
  return inProject(context, { title: at.path || 'Files', tab: 'tree', body, shortcuts: { y: permanent } });
}

const maxFound = 100;
const maxWalked = 10;

interface Found {
  readonly paths: readonly string[];
  /** Whether there are more files than were searched. */
  readonly isCut: boolean;
}

/** Lists the first files of a commit; used without a search text, or if the user may not search. */
async function walkFiles({ visit, api }: ProjectContext, at: PathAtRef, pathFilter: string): Promise<Found> {
  const paths: string[] = [];
  let token: string | undefined = '';
  for (let pages = 0; pages < maxWalked && token !== undefined && paths.length < maxFound; pages += 1) {
    const query = { ref: at.commit.id, recursive: true, per_page: 100, pagination: 'keyset', page_token: token };
    const answer = await visit.api.page(`${api}/repository/tree`, query);
    const fits = ({ type, path }: Entity) => type === 'blob' && path.toLowerCase().includes(pathFilter);
    paths.push(...answer.body.filter(fits).map(({ path }: Entity) => path));
    token = /[?&]page_token=([^&>]+)(?:&[^>]*)?>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
    if (token !== undefined) token = decodeURIComponent(token);
    // Yield to other requests: cached pages resolve without leaving the event loop's current turn.
    await setImmediate();
  }
  return { paths: paths.slice(0, maxFound), isCut: token !== undefined || paths.length > maxFound };
}

/** Finds files with the search API, which covers all files. */
async function searchFiles({ visit, api }: ProjectContext, at: PathAtRef, pathFilter: string): Promise<Found> {
  const search = `path:${pathFilter.trim().replace(/\s+/g, '*')}`;
  const query = { scope: 'blobs', search, ref: at.commit.id, per_page: maxFound };
  const { body, headers } = await visit.api.page(`${api}/search`, query);
  return { paths: body.map(({ path }: Entity) => path), isCut: String(headers['x-next-page'] ?? '') !== '' };
}

/** Finds files by a part of their path. If all files are listed, a script filters them while the user types. */
export async function findFilePage(context: ProjectContext): Promise<Outcome> {
  const { visit, home } = context;
  const at = await splitRef(context, visit.params.address ?? '');
  const pathFilter = (visit.query.get('file') ?? '').toLowerCase().slice(0, 200);
  const searches = visit.user !== null && pathFilter.trim() !== '';
  const { paths, isCut } = await (searches ? searchFiles(context, at, pathFilter) : walkFiles(context, at, pathFilter));
  const narrows = !isCut && pathFilter === '' && html` data-filter="#found"`;
  const more =
    isCut &&
    html`<p class="muted">${paths.length >= maxFound || searches || visit.user ? 'There are more: enter a part of the path.' : 'Only the first files were searched. Sign in to search all files.'}</p>`;
  const item = (path: string) =>
    html`<li><a class="main" href="${home}/-/blob/${encodePath(`${at.ref}/${path}`)}">${path}</a></li>`;
  const body = html`<h1>Find file</h1><form class="filters" action="${visit.base}${visit.path}"><label>Part of the path<input name="file" type="search" value="${visit.query.get('file') ?? ''}"${narrows} autofocus></label><button>Find</button></form><ul class="list" id="found">${paths.map(item)}</ul>${paths.length === 0 && html`<p class="empty">No matching files.</p>`}${more}`;
  return inProject(context, { title: 'Find file', tab: 'tree', body });
}
