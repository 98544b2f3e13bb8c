import { card, submit } from '../forms/card.ts';
import { type Field, readFields, typed } from '../forms/fields.ts';
import { inAddress } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type Place, projectPage } from '../places/project.ts';
import { roleInProject } from '../places/roles.ts';
import { actionButton } from '../planning/discussion.ts';

const fields: readonly Field[] = [
  { name: 'title', label: 'Title', required: true, hint: 'With slashes it stands in a folder' },
  { name: 'content', label: 'Text', kind: 'area', required: true },
];

const mayWrite = ({ visit, project }: Place) => roleInProject(visit, project) >= 30;
const frame = (place: Place, title: string, body: Html, status?: number) =>
  inProject(place, { title, tab: 'wikis', body, ...(status !== undefined && { status }) });

const newLink = (place: Place) =>
  mayWrite(place) && html`<a class="button" href="${place.home}/-/wikis/new">New page</a>`;

async function listPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const answer = await visit.api.page(`${api}/wikis`, { per_page: 100, page: pageOf(visit) });
  const item = (page: Entity) =>
    html`<li><a class="main" href="${home}/-/wikis/${inAddress(page.slug)}">${page.title}</a> <span class="muted">${page.slug}</span></li>`;
  const list =
    answer.body.length === 0
      ? html`<p class="empty">There is no page yet. A wiki keeps what everyone should know, and nothing but text is needed to write it.</p>`
      : html`<ul class="list">${answer.body.map(item)}</ul>`;
  return frame(
    place,
    'Wiki',
    html`<div class="row"><h1>Wiki</h1><span class="end">${newLink(place)}</span></div>${list}${pager(visit, answer)}`,
  );
}

const urlOf = ({ api }: Place, slug: string) => `${api}/wikis/${encodeURIComponent(slug)}`;

async function onePage(place: Place): Promise<Outcome> {
  const { visit, home, project } = place;
  const slug = visit.params.slug ?? '';
  const version = visit.query.get('version_id') ?? undefined;
  if (visit.query.get('action') === 'edit') return formPage(place, slug, undefined, version);
  const page = await visit.api.get(urlOf(place, slug), { version });
  const text =
    page.format === 'markdown' || page.format === undefined
      ? await renderOne(visit, project.path_with_namespace, page.content ?? '')
      : html`<pre>${page.content}</pre>`;
  const address = `${home}/-/wikis/${inAddress(page.slug)}`;
  const buttons =
    mayWrite(place) &&
    html`<a class="button" href="${address}?action=edit">Edit</a>${newLink(place)}${actionButton(visit, address, 'Delete', { action: 'remove' })}`;
  const former =
    version !== undefined &&
    html`<p class="notice" role="status">This is how the page was at <code>${version.slice(0, 8)}</code>. <a href="${address}">As it is now</a>${mayWrite(place) && html` · <a href="${address}?action=edit&amp;version_id=${encodeURIComponent(version)}">Write it as it was</a>`}</p>`;
  const body = html`<div class="row"><h1>${page.title}</h1><span class="end row"><a href="${home}/-/wikis/pages">All pages</a><a href="${address}/history">History</a>${buttons}</span></div>${former}${text}`;
  return frame(place, page.title, body);
}

/** Who changed a page, and when; each version can be read and written again. */
async function historyPage(place: Place): Promise<Outcome> {
  const { visit, home } = place;
  const slug = visit.params.slug ?? '';
  const [page, answer] = await Promise.all([
    visit.api.get(urlOf(place, slug)),
    visit.api.page(`${urlOf(place, slug)}/versions`, { per_page: 50, page: pageOf(visit) }),
  ]);
  const address = `${home}/-/wikis/${inAddress(page.slug)}`;
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${address}?version_id=${one.id}">${one.message.split('\n', 1)[0]}</a><span class="end muted">${one.author_name} · ${moment(one.created_at)} · <code>${one.short_id}</code></span></li>`;
  const title = `History of ${page.title}`;
  const body = html`<div class="row"><h1>${title}</h1><a class="end" href="${address}">The page</a></div><ul class="list">${answer.body.map(item)}</ul>${pager(visit, answer)}`;
  return frame(place, title, body);
}

async function homePage(place: Place): Promise<Outcome> {
  const page = await place.visit.api.maybe(urlOf(place, 'home'));
  return page ? { redirect: `${place.home}/-/wikis/home` } : listPage(place);
}

async function formPage(place: Place, slug?: string, problem?: string, version?: string): Promise<Outcome> {
  const { visit, home } = place;
  const stored = slug === undefined ? { title: 'home' } : await visit.api.get(urlOf(place, slug), { version });
  const title = slug === undefined ? 'New page' : `Edit ${stored.title}`;
  const form = card(visit, {
    action: slug === undefined ? `${home}/-/wikis` : `${home}/-/wikis/${inAddress(slug)}`,
    fields,
    values: problem === undefined ? stored : typed(fields, visit.form),
    button: slug === undefined ? 'Create page' : 'Save',
    problem,
  });
  return frame(place, title, html`<h1>${title}</h1>${form}`, problem === undefined ? undefined : 422);
}

async function create(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  return submit(visit, {
    method: 'POST',
    path: `${api}/wikis`,
    sent: readFields(fields, visit.form),
    to: (page) => `${home}/-/wikis/${inAddress(page.slug)}`,
    again: (problem) => formPage(place, undefined, problem),
  });
}

async function save(place: Place): Promise<Outcome> {
  const { visit, home } = place;
  const slug = visit.params.slug ?? '';
  if (visit.form.get('action') === 'remove') {
    await visit.api.send('DELETE', urlOf(place, slug));
    return { redirect: `${home}/-/wikis/pages` };
  }
  return submit(visit, {
    method: 'PUT',
    path: urlOf(place, slug),
    sent: readFields(fields, visit.form),
    to: (page) => `${home}/-/wikis/${inAddress(page.slug)}`,
    again: (problem) => formPage(place, slug, problem),
  });
}

export const wikiPages: readonly Page[] = [
  projectPage({ path: '/:project/-/wikis', signedIn: true, show: homePage }),
  projectPage({ method: 'POST', path: '/:project/-/wikis', show: create }),
  projectPage({ path: '/:project/-/wikis/pages', signedIn: true, show: listPage }),
  projectPage({ path: '/:project/-/wikis/new', signedIn: true, show: (place) => formPage(place) }),
  projectPage({ path: '/:project/-/wikis/*slug/history', signedIn: true, show: historyPage }),
  projectPage({ path: '/:project/-/wikis/*slug', signedIn: true, show: onePage }),
  projectPage({ method: 'POST', path: '/:project/-/wikis/*slug', show: save }),
];
