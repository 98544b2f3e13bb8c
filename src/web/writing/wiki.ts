import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { encodePath } from '../frame/addresses.ts';
import { type Entity, Refusal } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { renderOne, type TextPlace } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
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

/** The wiki of a project or group. */
interface WikiContext {
  readonly visit: Visit;
  /** Prefix of API paths: `/projects/7/wikis`. */
  readonly api: string;
  /** Prefix of page URLs: `/group/project/-/wikis`. */
  readonly home: string;
  readonly place: TextPlace;
  readonly role: number;
  lay(shown: { readonly title: string; readonly tab: string; readonly body: Html; readonly status?: number }): Outcome;
}

const ofProject = (context: ProjectContext): WikiContext => ({
  visit: context.visit,
  api: `${context.api}/wikis`,
  home: `${context.home}/-/wikis`,
  place: context.project.path_with_namespace,
  role: roleInProject(context.visit, context.project),
  lay: (shown) => inProject(context, shown),
});

const ofGroup = (context: GroupContext): WikiContext => ({
  visit: context.visit,
  api: `${context.api}/wikis`,
  home: `${context.home}/-/wikis`,
  place: { group: context.group.full_path },
  role: context.role,
  lay: (shown) => inGroup(context, shown),
});

const developer = 30;
const maintainer = 40;
const mayWrite = ({ role }: WikiContext) => role >= developer;
const frame = (context: WikiContext, title: string, body: Html, status?: number) =>
  context.lay({ title, tab: 'wikis', body, ...(status !== undefined && { status }) });

const newLink = (context: WikiContext) =>
  mayWrite(context) && html`<a class="button" href="${context.home}/new">New page</a>`;

async function listPage(context: WikiContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(api, { per_page: 100, page: pageOf(visit) });
  const title = visit.base + visit.path === home ? 'Wiki' : 'All pages';
  const item = (page: Entity) =>
    html`<li><a class="main" href="${home}/${encodePath(page.slug)}">${page.title}</a> <span class="muted">${page.slug}</span></li>`;
  const list =
    answer.body.length === 0
      ? html`<p class="empty">No pages yet.${mayWrite(context) && html` <a href="${home}/new">Write the first page</a>`}</p>`
      : html`<ul class="list">${answer.body.map(item)}</ul>`;
  return frame(
    context,
    title,
    html`<div class="row"><h1>${title}</h1><span class="end">${newLink(context)}</span></div>${list}${pager(visit, answer)}`,
  );
}

const urlOf = ({ api }: WikiContext, slug: string) => `${api}/${encodeURIComponent(slug)}`;

async function onePage(context: WikiContext): Promise<Outcome> {
  const { visit, home, place } = context;
  const slug = visit.params.slug ?? '';
  const version = visit.query.get('version_id') ?? undefined;
  if (visit.query.get('action') === 'edit' && !visit.user) throw new Refusal(401, '');
  if (visit.query.get('action') === 'edit') return formPage(context, slug, undefined, version);
  const page = await visit.api.get(urlOf(context, slug), { version });
  const text =
    page.format === 'markdown' || page.format === undefined
      ? await renderOne(visit, place, page.content ?? '', { wikiPage: page.slug })
      : html`<pre>${page.content}</pre>`;
  const address = `${home}/${encodePath(page.slug)}`;
  const buttons =
    mayWrite(context) &&
    html`<a class="button" href="${address}?action=edit">Edit</a>${newLink(context)}${context.role >= maintainer && actionButton(visit, address, 'Delete', { action: 'remove' }, { confirm: 'Delete this page?' })}`;
  const former =
    version !== undefined &&
    html`<p class="notice calm" role="status">This is the version of <code>${version.slice(0, 8)}</code>. <a href="${address}">Current version</a>${mayWrite(context) && html` · <a href="${address}?action=edit&amp;version_id=${encodeURIComponent(version)}">Restore this version</a>`}</p>`;
  const body = html`<div class="row"><h1>${page.title}</h1><span class="end row"><a href="${home}/pages">All pages</a><a href="${address}/history">History</a>${buttons}</span></div>${former}${text}`;
  return frame(context, page.title, body);
}

/** Lists the versions of a page, which can be viewed and restored. */
async function historyPage(context: WikiContext): Promise<Outcome> {
  const { visit, home } = context;
  const slug = visit.params.slug ?? '';
  const [page, answer] = await Promise.all([
    visit.api.get(urlOf(context, slug)),
    visit.api.page(`${urlOf(context, slug)}/versions`, { per_page: 50, page: pageOf(visit) }),
  ]);
  const address = `${home}/${encodePath(page.slug)}`;
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${address}?version_id=${one.id}">${one.message.split('\n', 1)[0]}</a><span class="end muted">${one.author_name} · ${relativeTime(one.created_at)} · <code>${one.short_id}</code></span></li>`;
  const title = `History of ${page.title}`;
  const body = html`<div class="row"><h1>${title}</h1><a class="end" href="${address}">The page</a></div><ul class="list">${answer.body.map(item)}</ul>${pager(visit, answer)}`;
  return frame(context, title, body);
}

async function homePage(context: WikiContext): Promise<Outcome> {
  const page = await context.visit.api.maybe(urlOf(context, 'home'));
  return page ? { redirect: `${context.home}/home` } : listPage(context);
}

/** Returns the newest version of a page, so that a form detects concurrent changes. */
async function newestOf(context: WikiContext, slug: string): Promise<string> {
  const [newest] = await context.visit.api.get(`${urlOf(context, slug)}/versions`, { per_page: 1 });
  return newest?.id ?? '';
}

async function formPage(context: WikiContext, slug?: string, problem?: string, version?: string): Promise<Outcome> {
  const { visit, home } = context;
  const [stored, newest] =
    slug === undefined
      ? [{ title: 'home' }, '']
      : await Promise.all([visit.api.get(urlOf(context, slug), { version }), newestOf(context, slug)]);
  const title = slug === undefined ? 'New page' : `Edit ${stored.title}`;
  const form = card(visit, {
    action: slug === undefined ? `${home}` : `${home}/${encodePath(slug)}`,
    fields,
    values: problem === undefined ? stored : submittedValues(fields, visit.form),
    button: slug === undefined ? 'Create page' : 'Save',
    ...(newest !== '' && { hidden: { newest } }),
    ...(slug !== undefined && {
      more: html`<p><a href="${home}/${encodePath(slug)}/history" target="_blank">History of the page</a></p>`,
    }),
    problem,
  });
  return frame(context, title, html`<h1>${title}</h1>${form}`, problem === undefined ? undefined : 422);
}

async function create(context: WikiContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: api,
    sent: readFields(fields, visit.form),
    to: (page) => `${home}/${encodePath(page.slug)}`,
    again: (problem) => formPage(context, undefined, problem),
  });
}

async function save(context: WikiContext): Promise<Outcome> {
  const { visit, home } = context;
  const slug = visit.params.slug ?? '';
  if (visit.form.get('action') === 'remove') {
    await visit.api.send('DELETE', urlOf(context, slug));
    return { redirect: `${home}/pages` };
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
    to: (page) => `${home}/${encodePath(page.slug)}`,
    again: (problem) => formPage(context, slug, problem),
  });
}

type WikiPage = Pick<Page, 'method' | 'path' | 'signedIn'> & { show(context: WikiContext): Promise<Outcome> };

/** The pages below the URL of a wiki. */
const pages: readonly WikiPage[] = [
  { path: '', show: homePage },
  { method: 'POST', path: '', show: create },
  { path: '/pages', show: listPage },
  { path: '/new', signedIn: true, show: (context) => formPage(context) },
  { path: '/*slug/history', show: historyPage },
  { path: '/*slug', show: onePage },
  { method: 'POST', path: '/*slug', show: save },
];

export const wikiPages: readonly Page[] = pages.flatMap(({ path, show, ...page }) => [
  groupPage({ ...page, path: `/groups/:path/-/wikis${path}`, show: (context) => show(ofGroup(context)) }),
  projectPage({ ...page, path: `/:project/-/wikis${path}`, show: (context) => show(ofProject(context)) }),
]);
