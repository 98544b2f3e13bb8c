import { hash } from 'node:crypto';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { highlighter } from '../frame/highlight.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { markSpan } from './diff-words.ts';
import { commitLine } from './file-frame.ts';
import { cutLine } from './line-pages.ts';

/** The project of a search result: its URL, and its name if several projects are searched. */
export interface FoundIn {
  readonly home: string;
  readonly name?: string;
}

type Draw = (place: FoundIn, found: Entity, words: string) => Html | Promise<Html>;

const inProject = ({ home, name }: FoundIn) => name !== undefined && html`<a class="muted" href="${home}">${name}</a>`;

/** Returns a code search without its path filters. */
export const wordsIn = (search: string) =>
  search
    .replaceAll(/(?:^|\s)-?(?:filename|path|extension):\S+/g, ' ')
    .trim()
    .replaceAll(/^"|"$/g, '');

/** Marks the first match in a highlighted line. */
function marked(line: string, drawn: string, words: string): string {
  const at = words === '' ? -1 : line.toLowerCase().indexOf(words.toLowerCase());
  return at < 0 ? drawn : markSpan(drawn, [at, at + words.length]);
}

/** Maximum number of lines shown per result. */
const shownLines = 50;

/** Renders the matching lines with context; `address` is the URL of the file. */
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

const drawBlob: Draw = async (place, found, words) => {
  const address = `${place.home}/-/blob/${encodePath(`${found.ref}/${found.path}`)}`;
  return html`<section class="box"><header class="row"><a class="main" href="${address}#L${found.startline}">${found.path}</a><span class="end">${inProject(place)}</span></header>${await foundLines(found, words, address)}</section>`;
};

const drawWikiPage: Draw = (place, found) => {
  const slug = found.path.replace(/\.[^./]+$/, '');
  return html`<li><div class="row"><a class="main" href="${place.home}/-/wikis/${encodePath(slug)}">${slug}</a><span class="end">${inProject(place)}</span></div><p class="muted">${found.data.slice(0, 300)}</p></li>`;
};

const noteKinds: Readonly<Record<string, (note: Entity) => string>> = {
  Issue: ({ noteable_iid }) => `issues/${noteable_iid}`,
  MergeRequest: ({ noteable_iid }) => `merge_requests/${noteable_iid}`,
  Snippet: ({ noteable_id }) => `snippets/${noteable_id}`,
  Commit: ({ commit_id }) => `commit/${commit_id}`,
};

const drawNote: Draw = (project, note) => {
  const place = noteKinds[note.noteable_type]?.(note);
  const text = note.body.length > 300 ? `${note.body.slice(0, 300).toWellFormed()} …` : note.body;
  const link =
    place === undefined ? text : html`<a class="main" href="${project.home}/-/${place}#note_${note.id}">${text}</a>`;
  return html`<li>${link}<p class="muted">${note.author?.name} · ${place?.replace('_', ' ')} · ${relativeTime(note.created_at)} ${inProject(project)}</p></li>`;
};

const drawCommit: Draw = (place, commit) => html`<li>${commitLine(place, commit)}${inProject(place)}</li>`;

/** Search scopes of projects, with their display name and renderer. */
export const foundInProjects: Readonly<Record<string, readonly [name: string, draw: Draw]>> = {
  blobs: ['code', drawBlob],
  commits: ['commits', drawCommit],
  notes: ['comments', drawNote],
  wiki_blobs: ['wiki', drawWikiPage],
};

/** Hint about path filters in code search. */
export const filesHint = (scope: string): Html | false =>
  scope === 'blobs' &&
  html`<p class="muted">Filter files with <code>path:src</code>, <code>filename:*.ts</code> and <code>extension:md</code>; a leading minus excludes.</p>`;

/** Lists results: boxes for code, list items for everything else. */
export const listFound = (scope: string, items: readonly Html[]): Html =>
  scope === 'blobs' ? html`${items}` : html`<ul class="list">${items}</ul>`;
