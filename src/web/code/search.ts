import { hash } from 'node:crypto';
import { escapeHtml } from '../../platform/http/answers/html.ts';
import { alert } from '../forms/card.ts';
import { inAddress } from '../frame/addresses.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { moment } from '../frame/format.ts';
import { highlighter } from '../frame/highlight.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { drawFound } from '../home/search.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { segments } from '../planning/filters.ts';
import { markSpan } from './diff-words.ts';
import { commitLine } from './file-frame.ts';
import { cutLine } from './line-pages.ts';

type Draw = (context: ProjectContext, found: Entity, words: string) => Html | Promise<Html>;

/** The words of a search without what narrows it to some files. */
const wordsIn = (search: string) =>
  search
    .replaceAll(/(?:^|\s)-?(?:filename|path|extension):\S+/g, ' ')
    .trim()
    .replaceAll(/^"|"$/g, '');

/** A line as HTML, with the place marked where the words stand in it. */
function marked(line: string, drawn: string, words: string): string {
  const at = words === '' ? -1 : line.toLowerCase().indexOf(words.toLowerCase());
  return at < 0 ? drawn : markSpan(drawn, [at, at + words.length]);
}

/** Where every line of a file holds the words, the rest is read in the file. */
const shownLines = 50;

/** The lines around what was found in a file; `address` is where its lines are. */
async function foundLines(found: Entity, words: string, address: string): Promise<Html> {
  const all: string[] = found.data.replace(/\n$/, '').split('\n');
  const lines = all.slice(0, shownLines).map(cutLine);
  const code = lines.join('\n');
  const drawn = await highlighter.lines(code, found.path, hash('sha256', code));
  const row = (line: string, at: number) => {
    const number = found.startline + at;
    return `<tr><td class="num"><a href="${escapeHtml(address)}#L${number}">${number}</a></td><td>${marked(line, drawn[at] ?? escapeHtml(line), words)}</td></tr>`;
  };
  const more = all.length - lines.length;
  const rest =
    more > 0 &&
    html`<footer class="row"><a href="${address}#L${found.startline + lines.length}">${more} more lines</a></footer>`;
  return html`<div class="scroll"><table class="code">${trusted(lines.map(row).join(''))}</table></div>${rest}`;
}

const drawBlob: Draw = async ({ home }, found, words) => {
  const address = `${home}/-/blob/${inAddress(`${found.ref}/${found.path}`)}`;
  return html`<section class="box"><header class="row"><a class="main" href="${address}#L${found.startline}">${found.path}</a></header>${await foundLines(found, words, address)}</section>`;
};

const drawWikiPage: Draw = async ({ home }, found) => {
  const slug = found.path.replace(/\.[^./]+$/, '');
  return html`<li><a class="main" href="${home}/-/wikis/${inAddress(slug)}">${slug}</a><p class="muted">${found.data.slice(0, 300)}</p></li>`;
};

const noteKinds: Readonly<Record<string, (note: Entity) => string>> = {
  Issue: ({ noteable_iid }) => `issues/${noteable_iid}`,
  MergeRequest: ({ noteable_iid }) => `merge_requests/${noteable_iid}`,
  Snippet: ({ noteable_id }) => `snippets/${noteable_id}`,
  Commit: ({ commit_id }) => `commit/${commit_id}`,
};

const drawNote: Draw = ({ home }, note) => {
  const place = noteKinds[note.noteable_type]?.(note);
  const text = note.body.length > 300 ? `${note.body.slice(0, 300).toWellFormed()} …` : note.body;
  const link = place === undefined ? text : html`<a class="main" href="${home}/-/${place}#note_${note.id}">${text}</a>`;
  return html`<li>${link}<p class="muted">${note.author?.name} · ${place?.replace('_', ' ')} · ${moment(note.created_at)}</p></li>`;
};

const alike =
  (kind: string): Draw =>
  ({ visit }, found) =>
    drawFound(visit, kind, found);

const scopes: Readonly<Record<string, readonly [name: string, draw: Draw]>> = {
  blobs: ['code', drawBlob],
  issues: ['issues', alike('issues')],
  merge_requests: ['merge requests', alike('merge_requests')],
  commits: ['commits', (context, commit) => html`<li>${commitLine(context, commit)}</li>`],
  notes: ['comments', drawNote],
  wiki_blobs: ['wiki', drawWikiPage],
  milestones: ['milestones', alike('milestones')],
  users: ['people', alike('users')],
};

/** What one project holds: its code, and all that was said in it. */
async function searchPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const search = (visit.query.get('search') ?? '').trim();
  const wanted = visit.query.get('scope') ?? '';
  const scope = Object.hasOwn(scopes, wanted) ? wanted : 'blobs';
  const [, draw] = scopes[scope] as (typeof scopes)[string];
  const links = Object.entries(scopes).map(
    ([kind, [name]]) => [name, withQuery(visit, { scope: kind, page: undefined })] as const,
  );
  const form = html`<form class="filters" action="${home}/-/search"><input type="hidden" name="scope" value="${scope}"><label>Words<input type="search" name="search" value="${search}"></label><button>Search</button></form>`;
  const asked = { scope, search, per_page: 20, page: pageOf(visit) };
  const answer = search === '' ? undefined : await visit.api.ask('GET', `${api}/search`, asked);
  if (answer && answer.status >= 500) throw refusalOf(answer);
  // A part of the project that is switched off, or more than may be asked for in a minute.
  const refusal = answer && answer.status >= 400 && alert(refusalOf(answer).reason || 'This cannot be searched.');
  const words = wordsIn(search);
  const items: Html[] = [];
  for (const found of refusal ? [] : (answer?.body ?? [])) items.push(await draw(context, found, words));
  const everywhere = html`<a href="${visit.base}/search?${new URLSearchParams({ search }).toString()}">Search everywhere</a>`;
  const empty = html`<p class="empty">Nothing found. Try fewer or other words, another kind above, or ${everywhere}.</p>`;
  const hint =
    scope === 'blobs' &&
    html`<p class="muted">Files are narrowed by <code>path:src</code>, <code>filename:*.ts</code> and <code>extension:md</code>; a minus before them leaves those out.</p>`;
  const list =
    refusal ||
    (answer &&
      (items.length === 0
        ? empty
        : html`${scope === 'blobs' ? items : html`<ul class="list">${items}</ul>`}${pager(visit, answer)}`));
  const body = html`${sectionTitle('Search', everywhere)}${form}${segments(links, scopes[scope]?.[0] ?? '')}${hint}${list}`;
  return inProject(context, { title: 'Search', tab: 'tree', body });
}

export const projectSearchPages: readonly Page[] = [
  projectPage({ path: '/:project/-/search', signedIn: true, show: searchPage }),
];
