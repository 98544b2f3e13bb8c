import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { encodePath } from '../frame/addresses.ts';
import { type Entity, Refusal } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';

const fields: readonly Field[] = [
  {
    name: 'title',
    label: 'Title',
    required: true,
    hint: 'Slashes create directories; a leading slash leaves the current one',
  },
  { name: 'content', label: 'Text', kind: 'markdown', required: true },
];

const mayWrite = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 30;
const frame = (context: ProjectContext, title: string, body: Html, status?: number) =>
  inProject(context, { title, tab: 'wikis', body, ...(status !== undefined && { status }) });

const newLink = (context: ProjectContext) =>
  mayWrite(context) && html`<a class="button" href="${context.home}/-/wikis/new">New page</a>`;

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/wikis`, { per_page: 100, page: pageOf(visit) });
  const item = (page: Entity) =>
    html`<li><a class="main" href="${home}/-/wikis/${encodePath(page.slug)}">${page.title}</a> <span class="muted">${page.slug}</span></li>`;
  const list =
    answer.body.length === 0
      ? html`<p class="empty">No pages yet.${mayWrite(context) && html` <a href="${home}/-/wikis/new">Write the first page</a>`}</p>`
      : html`<ul class="list">${answer.body.map(item)}</ul>`;
  return frame(
    context,
    'Wiki',
    html`<div class="row"><h1>Wiki</h1><span class="end">${newLink(context)}</span></div>${list}${pager(visit, answer)}`,
  );
}

const urlOf = ({ api }: ProjectContext, slug: string) => `${api}/wikis/${encodeURIComponent(slug)}`;

async function onePage(context: ProjectContext): Promise<Outcome> {
  const { visit, home, project } = context;
  const slug = visit.params.slug ?? '';
  const version = visit.query.get('version_id') ?? undefined;
  if (visit.query.get('action') === 'edit' && !visit.user) throw new Refusal(401, '');
  if (visit.query.get('action') === 'edit') return formPage(context, slug, undefined, version);
  const page = await visit.api.get(urlOf(context, slug), { version });
  const text =
    page.format === 'markdown' || page.format === undefined
      ? await renderOne(visit, project.path_with_namespace, page.content ?? '', { wikiPage: page.slug })
      : html`<pre>${page.content}</pre>`;
  const address = `${home}/-/wikis/${encodePath(page.slug)}`;
  const buttons =
    mayWrite(context) &&
    html`<a class="button" href="${address}?action=edit">Edit</a>${newLink(context)}${actionButton(visit, address, 'Delete', { action: 'remove' }, { confirm: 'Delete this page?' })}`;
  const former =
    version !== undefined &&
    html`<p class="notice" role="status">This is the version of <code>${version.slice(0, 8)}</code>. <a href="${address}">Current version</a>${mayWrite(context) && html` · <a href="${address}?action=edit&amp;version_id=${encodeURIComponent(version)}">Restore this version</a>`}</p>`;
  const body = html`<div class="row"><h1>${page.title}</h1><span class="end row"><a href="${home}/-/wikis/pages">All pages</a><a href="${address}/history">History</a>${buttons}</span></div>${former}${text}`;
  return frame(context, page.title, body);
}

/** Lists the versions of a page, which can be viewed and restored. */
async function historyPage(context: ProjectContext): Promise<Outcome> {
  const { visit, home } = context;
  const slug = visit.params.slug ?? '';
  const [page, answer] = await Promise.all([
    visit.api.get(urlOf(context, slug)),
    visit.api.page(`${urlOf(context, slug)}/versions`, { per_page: 50, page: pageOf(visit) }),
  ]);
  const address = `${home}/-/wikis/${encodePath(page.slug)}`;
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${address}?version_id=${one.id}">${one.message.split('\n', 1)[0]}</a><span class="end muted">${one.author_name} · ${relativeTime(one.created_at)} · <code>${one.short_id}</code></span></li>`;
  const title = `History of ${page.title}`;
  const body = html`<div class="row"><h1>${title}</h1><a class="end" href="${address}">The page</a></div><ul class="list">${answer.body.map(item)}</ul>${pager(visit, answer)}`;
  return frame(context, title, body);
}

async function homePage(context: ProjectContext): Promise<Outcome> {
  const page = await context.visit.api.maybe(urlOf(context, 'home'));
  return page ? { redirect: `${context.home}/-/wikis/home` } : listPage(context);
}

/** Returns the newest version of a page, so that a form detects concurrent changes. */
async function newestOf(context: ProjectContext, slug: string): Promise<string> {
  const [newest] = await context.visit.api.get(`${urlOf(context, slug)}/versions`, { per_page: 1 });
  return newest?.id ?? '';
}

async function formPage(context: ProjectContext, slug?: string, problem?: string, version?: string): Promise<Outcome> {
  const { visit, home } = context;
  const [stored, newest] =
    slug === undefined
      ? [{ title: 'home' }, '']
      : await Promise.all([visit.api.get(urlOf(context, slug), { version }), newestOf(context, slug)]);
  const title = slug === undefined ? 'New page' : `Edit ${stored.title}`;
  const form = card(visit, {
    action: slug === undefined ? `${home}/-/wikis` : `${home}/-/wikis/${encodePath(slug)}`,
    fields,
    values: problem === undefined ? stored : submittedValues(fields, visit.form),
    button: slug === undefined ? 'Create page' : 'Save',
    ...(newest !== '' && { hidden: { newest } }),
    ...(slug !== undefined && {
      more: html`<p><a href="${home}/-/wikis/${encodePath(slug)}/history" target="_blank">History of the page</a></p>`,
    }),
    problem,
  });
  return frame(context, title, html`<h1>${title}</h1>${form}`, problem === undefined ? undefined : 422);
}

async function create(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/wikis`,
    sent: readFields(fields, visit.form),
    to: (page) => `${home}/-/wikis/${encodePath(page.slug)}`,
    again: (problem) => formPage(context, undefined, problem),
  });
}

async function save(context: ProjectContext): Promise<Outcome> {
  const { visit, home } = context;
  const slug = visit.params.slug ?? '';
  if (visit.form.get('action') === 'remove') {
    await visit.api.send('DELETE', urlOf(context, slug));
    return { redirect: `${home}/-/wikis/pages` };
  }
  const known = visit.form.get('newest');
  if (known !== null && known !== (await newestOf(context, slug))) {
    return formPage(
      context,
      slug,
      'Someone else has changed this page since you opened it. Check its history; saving now overwrites their changes.',
    );
  }
  return submit(visit, {
    method: 'PUT',
    path: urlOf(context, slug),
    sent: readFields(fields, visit.form),
    to: (page) => `${home}/-/wikis/${encodePath(page.slug)}`,
    again: (problem) => formPage(context, slug, problem),
  });
}

export const wikiPages: readonly Page[] = [
  projectPage({ path: '/:project/-/wikis', show: homePage }),
  projectPage({ method: 'POST', path: '/:project/-/wikis', show: create }),
  projectPage({ path: '/:project/-/wikis/pages', show: listPage }),
  projectPage({ path: '/:project/-/wikis/new', signedIn: true, show: (context) => formPage(context) }),
  projectPage({ path: '/:project/-/wikis/*slug/history', show: historyPage }),
  projectPage({ path: '/:project/-/wikis/*slug', show: onePage }),
  projectPage({ method: 'POST', path: '/:project/-/wikis/*slug', show: save }),
];
