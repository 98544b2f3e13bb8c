import { plainTable } from '../code/line-pages.ts';
import { card, submit } from '../forms/card.ts';
import { type Field, readFields, typed } from '../forms/fields.ts';
import type { Enter, Room } from '../forms/ledger.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout, thisPage } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { projectRoom } from '../places/rooms.ts';
import { actionButton, person } from '../planning/discussion.ts';

const fields: readonly Field[] = [
  { name: 'title', label: 'Title', required: true },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'file_name', label: 'Name of the file', required: true, placeholder: 'example.ts' },
  { name: 'content', label: 'Text', kind: 'area', required: true },
  {
    name: 'visibility',
    label: 'Who may see it',
    kind: 'select',
    options: [
      ['private', 'Private'],
      ['internal', 'Internal: everyone who is signed in'],
      ['public', 'Public: everyone'],
    ],
  },
];

async function listPage(room: Room): Promise<Outcome> {
  const { visit, api, home } = room;
  const answer = await visit.api.page(`${api}/snippets`, { per_page: 20, page: pageOf(visit) });
  const item = (one: Entity) =>
    html`<li><div class="row"><a class="main" href="${home}/-/snippets/${one.id}"><strong>${one.title}</strong></a>${badge(one.visibility)}<span class="end muted">${person(visit, one.author)} · ${moment(one.created_at)}</span></div></li>`;
  const add = visit.user && html`<a class="button primary end" href="${home}/-/snippets/new">New snippet</a>`;
  const body = html`<div class="row"><h1>Snippets</h1>${add}</div>${listOr(answer.body, item, 'No snippet. A snippet is a piece of code or text to show to others.')}${pager(visit, answer)}`;
  return room.show({ title: 'Snippets', body });
}

const urlOf = ({ api, visit }: Room) => `${api}/snippets/${visit.params.id}`;
const mostShown = 500_000;

/** A file of a snippet; its address tells the branch that it stands on. */
async function drawFile(room: Room, snippet: Entity, file: Entity): Promise<Html> {
  const [, ref = 'main'] = /\/raw\/([^/]+)\//.exec(file.raw_url) ?? [];
  const url = `${urlOf(room)}/files/${encodeURIComponent(ref)}/${encodeURIComponent(file.path)}/raw`;
  const answer = await room.visit.api.ask('GET', url);
  const raw = `${room.visit.base}/api/v4${url}`;
  const header = html`<header class="row"><strong>${file.path}</strong><a class="end" href="${raw}">Raw</a></header>`;
  if (answer.status !== 200 || answer.bytes.length > mostShown || answer.bytes.subarray(0, 8000).includes(0))
    return html`<section class="box">${header}<p class="inner muted">It cannot be shown here.</p></section>`;
  const isMarkdown = /\.(md|markdown)$/i.test(file.path);
  const text = answer.bytes.toString('utf8');
  const inner = isMarkdown
    ? html`<div class="inner">${await renderOne(room.visit, snippet.project_id ? room.markdown : undefined, text)}</div>`
    : plainTable(text.replace(/\n$/, '').split('\n'));
  return html`<section class="box">${header}${inner}</section>`;
}

async function onePage(room: Room): Promise<Outcome> {
  const { visit, home } = room;
  const snippet = await visit.api.get(urlOf(room));
  const [text, files] = await Promise.all([
    renderOne(visit, room.markdown, snippet.description ?? ''),
    Promise.all(snippet.files.slice(0, 10).map((file: Entity) => drawFile(room, snippet, file))),
  ]);
  const page = `${home}/-/snippets/${snippet.id}`;
  const isOwn = visit.user && (visit.user.id === snippet.author?.id || room.role >= 40);
  const buttons =
    isOwn &&
    html`<span class="end row"><a class="button" href="${page}/edit">Edit</a>${actionButton(visit, `${page}/remove`, 'Delete')}</span>`;
  const body = html`<div class="row"><h1>${snippet.title}</h1>${badge(snippet.visibility)}${buttons}</div><p class="muted">${person(visit, snippet.author)} ${moment(snippet.created_at)}</p>${text}${files}`;
  return room.show({ title: snippet.title, body });
}

/** The file that the form changes: the first. */
async function stored(room: Room): Promise<Entity> {
  const snippet = await room.visit.api.get(urlOf(room));
  const raw = await room.visit.api.page(`${urlOf(room)}/raw`);
  return { ...snippet, file_name: snippet.files[0]?.path ?? snippet.file_name, content: raw.bytes.toString('utf8') };
}

async function formPage(room: Room, problem?: string): Promise<Outcome> {
  const { visit, home } = room;
  const isNew = visit.params.id === undefined;
  const values = problem !== undefined ? typed(fields, visit.form) : isNew ? {} : await stored(room);
  const title = isNew ? 'New snippet' : 'Edit snippet';
  const form = card(visit, {
    action: isNew ? `${home}/-/snippets` : `${home}/-/snippets/${visit.params.id}/edit`,
    fields,
    values,
    button: isNew ? 'Create snippet' : 'Save',
    problem,
  });
  return room.show({ title, body: html`<h1>${title}</h1>${form}`, ...(problem !== undefined && { status: 422 }) });
}

async function create(room: Room): Promise<Outcome> {
  const { visit, api, home } = room;
  const { file_name, content, ...sent } = readFields(fields, visit.form);
  return submit(visit, {
    method: 'POST',
    path: `${api}/snippets`,
    sent: { ...sent, files: [{ file_path: file_name, content }] },
    to: (made) => `${home}/-/snippets/${made.id}`,
    again: (problem) => formPage(room, problem),
  });
}

async function save(room: Room): Promise<Outcome> {
  const { visit, home } = room;
  const before = await visit.api.get(urlOf(room));
  const { file_name, content, ...sent } = readFields(fields, visit.form, 'keep');
  const previous_path = before.files[0]?.path;
  const files =
    previous_path === file_name
      ? [{ action: 'update', file_path: file_name, content }]
      : [{ action: 'move', previous_path, file_path: file_name, content }];
  return submit(visit, {
    method: 'PUT',
    path: urlOf(room),
    sent: { ...sent, files },
    to: `${home}/-/snippets/${visit.params.id}`,
    again: (problem) => formPage(room, problem),
  });
}

async function remove(room: Room): Promise<Outcome> {
  await room.visit.api.send('DELETE', urlOf(room));
  return { redirect: `${room.home}/-/snippets` };
}

const list = '/-/snippets';

/** Snippets that belong to nobody but their author. */
const personal: Enter = (page) => ({
  ...page,
  show: (visit) =>
    page.show({
      visit,
      api: '',
      home: visit.base,
      role: 0,
      markdown: undefined,
      show: ({ title, body, status }) => ({
        page: layout(visit, {
          title,
          crumbs: [
            { text: 'Home', href: `${visit.base}/` },
            ...(visit.path === list ? [] : [{ text: 'Snippets', href: `${visit.base}${list}` }]),
            thisPage(visit, title),
          ],
          body,
        }),
        ...(status !== undefined && { status }),
      }),
    }),
});

function pagesOf(enter: Enter, prefix: string): Page[] {
  const path = `${prefix}/-/snippets`;
  return [
    enter({ path, signedIn: true, show: listPage }),
    enter({ method: 'POST', path, show: create }),
    enter({ path: `${path}/new`, signedIn: true, show: (room) => formPage(room) }),
    enter({ path: `${path}/:id`, show: onePage }),
    enter({ path: `${path}/:id/edit`, signedIn: true, show: (room) => formPage(room) }),
    enter({ method: 'POST', path: `${path}/:id/edit`, show: save }),
    enter({ method: 'POST', path: `${path}/:id/remove`, show: remove }),
  ];
}

export const snippetPages: readonly Page[] = [
  ...pagesOf(personal, ''),
  { path: '/dashboard/snippets', signedIn: true, show: ({ base }) => ({ redirect: `${base}/-/snippets` }) },
  ...pagesOf(projectRoom('snippets'), '/:project'),
];
