import { decode, encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime, size } from '../frame/format.ts';
import { highlighter } from '../frame/highlight.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound } from '../namespaces/project.ts';
import { roleName } from '../namespaces/roles.ts';
import { mayEdit } from './edit.ts';
import { commitLine, pathLinks } from './file-frame.ts';
import { codeTable, cutLine, linePage, linePager } from './line-pages.ts';
import { renderFile } from './markdown-file.ts';
import { pictures } from './pictures.ts';
import { type PathAtRef, splitRef } from './ref.ts';

const maxShown = 1_000_000;

interface FoundFile {
  readonly at: PathAtRef;
  readonly url: string;
  readonly size: number;
  readonly blobId: string;
  readonly rawUrl: string;
  /** ID of the last commit that changed the file. */
  readonly lastCommitId: string;
}

async function findFile(context: ProjectContext): Promise<FoundFile> {
  const { visit, api, home } = context;
  const at = await splitRef(context, visit.params.address ?? '');
  const url = `${api}/repository/files/${encodeURIComponent(at.path)}`;
  const head = at.path === '' ? undefined : await visit.api.ask('HEAD', url, { ref: at.commit.id });
  if (head?.status !== 200) throw pageNotFound();
  return {
    at,
    url,
    size: Number(head.headers['x-gitlab-size']),
    blobId: decode(String(head.headers['x-gitlab-blob-id'])),
    lastCommitId: decode(String(head.headers['x-gitlab-last-commit-id'])),
    rawUrl: `${home}/-/raw/${encodePath(`${at.ref}/${at.path}`)}`,
  };
}

async function contentOf(context: ProjectContext, file: FoundFile): Promise<Html> {
  const { visit } = context;
  const { at, rawUrl } = file;
  if (pictures.test(at.path)) return html`<div class="inner picture"><img src="${rawUrl}" alt="${at.path}"></div>`;
  const download = html`<a href="${rawUrl}">Open raw</a>`;
  if (file.size > maxShown)
    return html`<p class="inner">This file is too large to display (${size(file.size)}). ${download}.</p>`;
  const { bytes } = await visit.api.page(`${file.url}/raw`, { ref: at.commit.id });
  if (bytes.subarray(0, 8000).includes(0)) return html`<p class="inner">This is a binary file. ${download}.</p>`;
  const text = bytes.toString('utf8');
  const plain = visit.query.get('plain') === '1';
  if (/\.(md|markdown)$/i.test(at.path) && !plain) {
    return html`<div class="inner">${await renderFile(context, at, at.path, text)}</div>`;
  }
  if (text === '') return html`<p class="inner muted">This file is empty.</p>`;
  const code = text.replace(/\n$/, '').split('\n').map(cutLine);
  const shown = linePage(visit, code.length, text.length);
  // The lines after the page do not affect its highlighting.
  const until = code.slice(0, shown.last).join('\n');
  const lines = await highlighter.lines(until, at.path, `${file.blobId} ${shown.last}`);
  const isCut = text.length > code.reduce((sum, line) => sum + line.length + 1, 0);
  return html`${isCut && html`<p class="inner muted">Very long lines are truncated. ${download}.</p>`}${codeTable(lines.slice(shown.first - 1, shown.last), shown.first)}${linePager(visit, shown)}`;
}

/** Lists the code owners of the file. */
function codeOwners({ base }: Visit, sections: readonly Entity[]): Html | false {
  if (sections.length === 0) return false;
  const names = sections.flatMap(({ users_and_groups, emails, roles }) => [
    ...users_and_groups.map((name: string) => html`<a href="${base}/${encodePath(name)}">@${name}</a>`),
    ...emails.map((email: string) => html`<span>${email}</span>`),
    ...roles.map((level: number) => html`<span>every ${roleName(level).toLowerCase()}</span>`),
  ]);
  return html`<p class="owners row"><span class="muted">Code owners</span>${names.slice(0, maxOwners)}${names.length > maxOwners && html`<span class="muted">and ${names.length - maxOwners} more</span>`}</p>`;
}

const maxOwners = 20;

export async function blobPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const file = await findFile(context);
  const { at } = file;
  const address = encodePath(`${at.ref}/${at.path}`);
  const isMarkdown = /\.(md|markdown)$/i.test(at.path);
  const source =
    isMarkdown &&
    (visit.query.get('plain') === '1'
      ? html`<a href="${home}/-/blob/${address}">Rendered</a>`
      : html`<a href="${home}/-/blob/${address}?plain=1">Source</a>`);
  const permanent = `${home}/-/blob/${at.commit.id}/${encodePath(at.path)}`;
  const [content, lastCommit, owners] = await Promise.all([
    contentOf(context, file),
    visit.api.maybe(`${api}/repository/commits/${file.lastCommitId}`, { stats: false }),
    visit.api.maybe(`${file.url}/code_owners`, { ref: at.commit.id }),
  ]);
  const changes =
    mayEdit(context, at) &&
    html`<span class="end row"><a class="button" href="${home}/-/edit/${address}">Edit</a><a class="button" href="${home}/-/delete/${address}">Delete</a></span>`;
  const body = html`<h1 class="hidden">${at.path}</h1>${pathLinks(context, at, 'blob')}${lastCommit && html`<div class="box"><header>${commitLine(context, lastCommit)}</header></div>`}<section class="box"><header class="row"><span>${size(file.size)}</span>${source}<a href="${file.rawUrl}"${file.size <= maxShown && html` data-copy-from="${file.rawUrl}"`}>Raw</a><a href="${home}/-/blame/${address}">Blame</a><a href="${home}/-/commits/${address}">History</a><a href="${permanent}">Permanent link</a>${changes}</header>${codeOwners(visit, owners ?? [])}${content}</section>`;
  return inProject(context, { title: at.path, tab: 'tree', body, shortcuts: { y: permanent } });
}

interface Blame {
  readonly rows: readonly Html[];
  readonly pager: Html;
}

/** Returns the blame of one page of the file. */
async function blameOf({ visit, home }: ProjectContext, { at, url }: FoundFile): Promise<Blame> {
  const { bytes } = await visit.api.page(`${url}/raw`, { ref: at.commit.id });
  const total = bytes.toString('latin1').replace(/\n$/, '').split('\n').length;
  const shown = linePage(visit, bytes.length === 0 ? 0 : total, bytes.length);
  const range = { 'range[start]': shown.first, 'range[end]': shown.last };
  const ranges: readonly Entity[] =
    bytes.length === 0 ? [] : await visit.api.get(`${url}/blame`, { ref: at.commit.id, ...range });
  let number = shown.first - 1;
  const rows = ranges.flatMap(({ commit, lines }) =>
    lines.map((line: string, inRange: number) => {
      number += 1;
      const [title] = commit.message.split('\n', 1);
      const who =
        inRange === 0 &&
        html`<a href="${home}/-/commit/${commit.id}" title="${title}">${title.slice(0, 50)}</a> ${commit.author_name} ${relativeTime(commit.authored_date)}`;
      return html`<tr id="L${number}"><td class="blame">${who}</td><td class="num"><a href="#L${number}">${number}</a></td><td>${cutLine(line.replace(/\n$/, ''))}</td></tr>`;
    }),
  );
  return { rows, pager: linePager(visit, shown) };
}

export async function blamePage(context: ProjectContext): Promise<Outcome> {
  const { home } = context;
  const file = await findFile(context);
  const { at } = file;
  const address = encodePath(`${at.ref}/${at.path}`);
  const blame = file.size > maxShown ? undefined : await blameOf(context, file);
  const inner = blame
    ? html`<div class="scroll"><table class="code">${blame.rows}</table></div>${blame.pager}`
    : html`<p class="inner">This file is too large for it (${size(file.size)}). <a href="${file.rawUrl}">Open raw</a>.</p>`;
  const body = html`<h1>Blame</h1>${pathLinks(context, at, 'blame')}<section class="box"><header><a href="${home}/-/blob/${address}">File</a></header>${inner}</section>`;
  return inProject(context, { title: `Blame of ${at.path}`, tab: 'tree', body });
}
