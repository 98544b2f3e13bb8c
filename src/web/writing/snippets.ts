import { plainTable } from '../code/line-pages.ts';
import { card, submit } from '../forms/card.ts';
import type { Section, SectionContext } from '../forms/collection.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout, thisPage } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { projectSection } from '../namespaces/sections.ts';
import { actionButton, userLink } from '../planning/discussion.ts';
import { snippetCommentPages, snippetDiscussion } from './snippet-comments.ts';

const fields: readonly Field[] = [
  { name: 'title', label: 'Title', required: true },
  { name: 'description', label: 'Description', kind: 'markdown' },
  { name: 'file_name', label: 'Name of the file', required: true, placeholder: 'example.ts' },
  { name: 'content', label: 'Text', kind: 'area', required: true },
  {
    name: 'visibility',
    label: 'Visibility',
    kind: 'select',
    options: [
      ['private', 'Private'],
      ['internal', 'Internal: everyone who is signed in'],
      ['public', 'Public: everyone'],
    ],
  },
];

async function listPage(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/snippets`, { per_page: 20, page: pageOf(visit) });
  const item = (one: Entity) =>
    html`<li><div class="row"><a class="main" href="${home}/-/snippets/${one.id}"><strong>${one.title}</strong></a>${badge(one.visibility)}<span class="end muted">${userLink(visit, one.author)} · ${relativeTime(one.created_at)}</span></div></li>`;
  const add = visit.user && html`<a class="button primary end" href="${home}/-/snippets/new">New snippet</a>`;
  const body = html`<div class="row"><h1>Snippets</h1>${add}</div>${listOr(answer.body, item, 'No snippets. A snippet is a piece of code or text to share.')}${pager(visit, answer)}`;
  return context.show({ title: 'Snippets', body });
}

const urlOf = ({ api, visit }: SectionContext) => `${api}/snippets/${visit.params.id}`;
const maxShown = 500_000;

/** Renders a file of a snippet; its raw URL contains the branch. */
async function drawFile(context: SectionContext, snippet: Entity, file: Entity): Promise<Html> {
  const [, ref = 'main'] = /\/raw\/([^/]+)\//.exec(file.raw_url) ?? [];
  const url = `${urlOf(context)}/files/${encodeURIComponent(ref)}/${encodeURIComponent(file.path)}/raw`;
  const answer = await context.visit.api.ask('GET', url);
  const raw = `${context.visit.base}/api/v4${url}`;
  const header = html`<header class="row"><strong>${file.path}</strong><a class="end" href="${raw}">Raw</a></header>`;
  if (answer.status !== 200 || answer.bytes.length > maxShown || answer.bytes.subarray(0, 8000).includes(0))
    return html`<section class="box">${header}<p class="inner muted">It cannot be displayed.</p></section>`;
  const isMarkdown = /\.(md|markdown)$/i.test(file.path);
  const text = answer.bytes.toString('utf8');
  const inner = isMarkdown
    ? html`<div class="inner">${await renderOne(context.visit, snippet.project_id ? context.markdown : undefined, text)}</div>`
    : plainTable(text.replace(/\n$/, '').split('\n'));
  return html`<section class="box">${header}${inner}</section>`;
}

async function onePage(context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const snippet = await visit.api.get(urlOf(context));
  const [text, files, talk] = await Promise.all([
    renderOne(visit, context.markdown, snippet.description ?? ''),
    Promise.all(snippet.files.slice(0, 10).map((file: Entity) => drawFile(context, snippet, file))),
    snippetDiscussion(context, snippet.id),
  ]);
  const page = `${home}/-/snippets/${snippet.id}`;
  const isOwn = visit.user && (visit.user.id === snippet.author?.id || context.role >= 40);
  const buttons =
    isOwn &&
    html`<span class="end row"><a class="button" href="${page}/edit">Edit</a>${actionButton(visit, `${page}/remove`, 'Delete', {}, { confirm: 'Delete this snippet?' })}</span>`;
  const body = html`<div class="row"><h1>${snippet.title}</h1>${badge(snippet.visibility)}${buttons}</div><p class="muted">${userLink(visit, snippet.author)} ${relativeTime(snippet.created_at)}</p>${text}${files}${talk}`;
  return context.show({ title: snippet.title, body });
}

/** The form edits the first file. */
async function stored(context: SectionContext): Promise<Entity> {
  const snippet = await context.visit.api.get(urlOf(context));
  const raw = await context.visit.api.page(`${urlOf(context)}/raw`);
  return { ...snippet, file_name: snippet.files[0]?.path ?? snippet.file_name, content: raw.bytes.toString('utf8') };
}

async function formPage(context: SectionContext, problem?: string): Promise<Outcome> {
  const { visit, home } = context;
  const isNew = visit.params.id === undefined;
  const { default_snippet_visibility: visibility } = await visit.services.settings.read();
  const values =
    problem !== undefined ? submittedValues(fields, visit.form) : isNew ? { visibility } : await stored(context);
  const title = isNew ? 'New snippet' : 'Edit snippet';
  const form = card(visit, {
    action: isNew ? `${home}/-/snippets` : `${home}/-/snippets/${visit.params.id}/edit`,
    fields,
    values,
    button: isNew ? 'Create snippet' : 'Save',
    problem,
  });
  return context.show({ title, body: html`<h1>${title}</h1>${form}`, ...(problem !== undefined && { status: 422 }) });
}

async function create(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { file_name, content, ...sent } = readFields(fields, visit.form);
  return submit(visit, {
    method: 'POST',
    path: `${api}/snippets`,
    sent: { ...sent, files: [{ file_path: file_name, content }] },
    to: (created) => `${home}/-/snippets/${created.id}`,
    again: (problem) => formPage(context, problem),
  });
}

async function save(context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const before = await visit.api.get(urlOf(context));
  const { file_name, content, ...sent } = readFields(fields, visit.form, 'keep');
  const previous_path = before.files[0]?.path;
  const files =
    previous_path === file_name
      ? [{ action: 'update', file_path: file_name, content }]
      : [{ action: 'move', previous_path, file_path: file_name, content }];
  return submit(visit, {
    method: 'PUT',
    path: urlOf(context),
    sent: { ...sent, files },
    to: `${home}/-/snippets/${visit.params.id}`,
    again: (problem) => formPage(context, problem),
  });
}

async function remove(context: SectionContext): Promise<Outcome> {
  await context.visit.api.send('DELETE', urlOf(context));
  return { redirect: `${context.home}/-/snippets` };
}

const list = '/-/snippets';

/** Personal snippets. */
const personal: Section = (page) => ({
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

function pagesOf(section: Section, prefix: string): Page[] {
  const path = `${prefix}/-/snippets`;
  return [
    section({ path, signedIn: true, show: listPage }),
    section({ method: 'POST', path, show: create }),
    section({ path: `${path}/new`, signedIn: true, show: (context) => formPage(context) }),
    section({ path: `${path}/:id`, show: onePage }),
    section({ path: `${path}/:id/edit`, signedIn: true, show: (context) => formPage(context) }),
    section({ method: 'POST', path: `${path}/:id/edit`, show: save }),
    section({ method: 'POST', path: `${path}/:id/remove`, show: remove }),
  ];
}

export const snippetPages: readonly Page[] = [
  ...pagesOf(personal, ''),
  { path: '/dashboard/snippets', signedIn: true, show: ({ base }) => ({ redirect: `${base}/-/snippets` }) },
  ...pagesOf(projectSection('snippets'), '/:project'),
  ...snippetCommentPages,
];
