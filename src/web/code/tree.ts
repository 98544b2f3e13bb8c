import { inAddress } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { icon } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type Place } from '../places/project.ts';
import { commitLine, pathLinks } from './file-frame.ts';
import { type At, splitRef } from './ref.ts';

const kinds: Readonly<Record<string, readonly [string, string]>> = {
  tree: ['folder', 'Folder'],
  blob: ['file', 'File'],
  commit: ['submodule', 'Submodule'],
};

/** The entries of a folder, a page of them. */
export async function treeTable(place: Place, at: At): Promise<{ table: Html; entries: readonly Entity[] }> {
  const { visit, api, home } = place;
  const query = { ref: at.commit.id, path: at.path, per_page: 100, page: pageOf(visit) };
  const answer = await visit.api.page(`${api}/repository/tree`, query);
  const entries = answer.body as readonly Entity[];
  const row = (entry: Entity) => {
    const address = `${home}/-/${entry.type === 'tree' ? 'tree' : 'blob'}/${inAddress(`${at.ref}/${entry.path}`)}`;
    const name =
      entry.type === 'commit'
        ? html`${entry.name} @ <code>${entry.id.slice(0, 8)}</code>`
        : html`<a class="main" href="${address}">${entry.name}</a>`;
    const [picture, kind] = kinds[entry.type] ?? ['file', entry.type];
    return html`<li class="row entry entry-${picture}">${icon(picture)}<span class="hidden">${kind}</span> ${name}</li>`;
  };
  return { entries, table: html`<ul class="list">${entries.map(row)}</ul>${pager(visit, answer)}` };
}

const readmeName = /^readme(\.(md|markdown|mdown|txt|rst|adoc))?$/i;

/** The text that introduces a folder, if it has one. */
export async function readmeOf(place: Place, at: At, entries: readonly Entity[]): Promise<Html | false> {
  const entry = entries.find(({ name, type }) => type === 'blob' && readmeName.test(name));
  if (!entry) return false;
  const { visit, api, project, home } = place;
  const url = `${api}/repository/files/${encodeURIComponent(entry.path)}`;
  const head = await visit.api.ask('HEAD', url, { ref: at.commit.id });
  if (head.status !== 200 || Number(head.headers['x-gitlab-size']) > 500_000) return false;
  const answer = await visit.api.page(`${url}/raw`, { ref: at.commit.id });
  const text = answer.bytes.toString('utf8');
  const isMarkdown = /\.(md|markdown|mdown)$/i.test(entry.name);
  const inner = isMarkdown ? await renderOne(visit, project.path_with_namespace, text) : html`<pre>${text}</pre>`;
  const address = `${home}/-/blob/${inAddress(`${at.ref}/${entry.path}`)}`;
  return html`<section class="box"><header><a href="${address}">${entry.name}</a></header><div class="inner">${inner}</div></section>`;
}

export async function treePage(place: Place): Promise<Outcome> {
  const { visit, home, project } = place;
  const at = await splitRef(place, visit.params.address ?? project.default_branch ?? 'HEAD');
  const { table, entries } = await treeTable(place, at);
  const history = `${home}/-/commits/${inAddress([at.ref, ...(at.path === '' ? [] : [at.path])].join('/'))}`;
  const body = html`<h1 class="hidden">Files</h1>${pathLinks(place, at)}<div class="box"><header>${commitLine(place, at.commit)}</header></div><p class="row"><a href="${history}">History</a><a href="${home}/-/find_file/${inAddress(at.ref)}">Find file</a><a href="${home}/-/archive/${inAddress(at.ref)}/${inAddress(project.path)}-${encodeURIComponent(at.ref.replaceAll('/', '-'))}.zip">Download as zip</a></p>${table}${await readmeOf(place, at, entries)}`;
  const permanent = `${home}/-/tree/${at.commit.id}${at.path === '' ? '' : `/${inAddress(at.path)}`}`;
  return inProject(place, { title: at.path || 'Files', tab: 'tree', body, shortcuts: { y: permanent } });
}

const mostFound = 100;

/** Every file of a commit whose path has the letters in it; the script narrows the list while one types. */
export async function findFilePage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const at = await splitRef(place, visit.params.address ?? '');
  const wanted = (visit.query.get('file') ?? '').toLowerCase();
  const found: Entity[] = [];
  let token: string | undefined = '';
  // A tree of a hundred thousand files has a thousand pages: some are enough to find the file by name.
  for (let pages = 0; pages < 50 && token !== undefined && found.length < mostFound; pages += 1) {
    const query = { ref: at.commit.id, recursive: true, per_page: 100, pagination: 'keyset', page_token: token };
    const answer = await visit.api.page(`${api}/repository/tree`, query);
    found.push(
      ...answer.body.filter((entry: Entity) => entry.type === 'blob' && entry.path.toLowerCase().includes(wanted)),
    );
    token = /[?&]page_token=([^&>]+)[^>]*>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
    if (token !== undefined) token = decodeURIComponent(token);
  }
  const shown = found.slice(0, mostFound);
  const body = html`<h1>Find file</h1><form class="filters" action="${visit.base}${visit.path}"><label>Part of its path<input name="file" type="search" value="${visit.query.get('file') ?? ''}" data-filter="#found" autofocus></label><button>Find</button></form><ul class="list" id="found">${shown.map((entry) => html`<li><a class="main" href="${home}/-/blob/${inAddress(`${at.ref}/${entry.path}`)}">${entry.path}</a></li>`)}</ul>${shown.length === 0 && html`<p class="empty">No file has these letters in its path.</p>`}${found.length > mostFound && html`<p class="muted">There are more: type a longer part.</p>`}`;
  return inProject(place, { title: 'Find file', tab: 'tree', body });
}
