import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { type Html, html, safeUrl } from '../frame/html.ts';
import { renderAll } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton, userLink } from '../planning/discussion.ts';
import { releaseAssetPages, releaseAssets } from './release-assets.ts';

const mayWrite = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 30;
const pageOfRelease = ({ home }: ProjectContext, tag: string) => `${home}/-/releases/${encodeURIComponent(tag)}`;
const urlOfRelease = ({ visit, api }: ProjectContext) =>
  `${api}/releases/${encodeURIComponent(visit.params.tag ?? '')}`;

/** Tag, commit, author and evidence of a release. */
function originOf({ visit, home }: ProjectContext, release: Entity): Html {
  const tag =
    release.tag_name && html`<a href="${home}/-/tree/${encodePath(release.tag_name)}">${release.tag_name}</a>`;
  const commit =
    release.commit &&
    html` · <a class="sha" href="${home}/-/commit/${release.commit.id}">${release.commit.short_id}</a>`;
  const milestones = (release.milestones ?? []).map((one: Entity) => html` · ${one.title}`);
  const evidence = (release.evidences ?? []).map(
    (one: Entity) =>
      html` · <a href="${one.filepath}" title="SHA-256 ${one.sha}">Evidence</a> collected ${relativeTime(one.collected_at)}`,
  );
  return html`<p class="muted">${tag}${commit}${release.author && html` · ${userLink(visit, release.author)}`}${milestones}${evidence}</p>`;
}

function releaseBox(context: ProjectContext, release: Entity, text: Html): Html {
  const { home } = context;
  const links = (release.assets?.links ?? []).map(
    (link: Entity) =>
      html`<li><a href="${safeUrl(link.direct_asset_url ?? link.url)}" rel="nofollow noreferrer">${link.name}</a></li>`,
  );
  const sources = (release.assets?.sources ?? []).map(
    (source: Entity) => html`<li><a href="${source.url}">Sources as ${source.format}</a></li>`,
  );
  return html`<section class="box"><header class="row"><a href="${home}/-/releases/${encodeURIComponent(release.tag_name ?? '')}"><strong>${release.name}</strong></a>${release.upcoming_release && badge('upcoming')}<span class="end">${relativeTime(release.released_at)}</span></header><div class="inner">${originOf(context, release)}${text}${links.length + sources.length > 0 && html`<h2>Assets</h2><ul>${links}${sources}</ul>`}</div></section>`;
}

async function releasesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, project } = context;
  const answer = await visit.api.page(`${api}/releases`, { per_page: 10, page: pageOf(visit) });
  const texts = await renderAll(
    visit,
    project.path_with_namespace,
    answer.body.map((one: Entity) => one.description ?? ''),
  );
  const boxes = answer.body.map((release: Entity, at: number) => releaseBox(context, release, texts[at] ?? html``));
  const add = mayWrite(context)
    ? html`<a class="button primary" href="${context.home}/-/releases/new">New release</a>`
    : undefined;
  const body = html`${sectionTitle('Releases', add)}${boxes.length === 0 ? html`<p class="empty">No releases yet. A release describes the changes of a tag.</p>` : boxes}${pager(visit, answer)}`;
  return inProject(context, { title: 'Releases', tab: 'releases', body });
}

async function releasePage(context: ProjectContext): Promise<Outcome> {
  const { visit, project } = context;
  const release = await visit.api.get(urlOfRelease(context));
  const [text = html``] = await renderAll(visit, project.path_with_namespace, [release.description ?? '']);
  const page = pageOfRelease(context, release.tag_name ?? visit.params.tag ?? '');
  const buttons = mayWrite(context)
    ? html`<span class="row"><a class="button" href="${page}/edit">Edit</a>${actionButton(visit, `${page}/remove`, 'Delete', {}, { confirm: 'Delete this release? Its tag is kept.' })}</span>`
    : undefined;
  return inProject(context, {
    title: release.name,
    tab: 'releases',
    body: html`${sectionTitle(release.name, buttons)}${releaseBox(context, release, text)}`,
  });
}

const changing: readonly Field[] = [
  { name: 'name', label: 'Title', hint: 'Default: name of the tag' },
  { name: 'description', label: 'Notes', kind: 'markdown' },
  { name: 'released_at', label: 'Day of release', kind: 'date', hint: 'Default: today' },
];

const creating: readonly Field[] = [
  { name: 'tag_name', label: 'Tag', required: true },
  { name: 'ref', label: 'Create tag from', hint: 'Branch or commit, if the tag does not exist' },
  ...changing,
];

async function newRelease(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home, project } = context;
  const start = { tag_name: visit.query.get('tag_name') ?? '', ref: project.default_branch ?? '' };
  const form = card(visit, {
    action: `${home}/-/releases`,
    fields: creating,
    values: problem === undefined ? start : submittedValues(creating, visit.form),
    button: 'Create release',
    problem,
  });
  const status = problem !== undefined && { status: 422 };
  return inProject(context, {
    title: 'New release',
    tab: 'releases',
    body: html`<h1>New release</h1>${form}`,
    ...status,
  });
}

async function createRelease(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/releases`,
    sent: readFields(creating, visit.form),
    to: (created) => pageOfRelease(context, created.tag_name),
    again: (problem) => newRelease(context, problem),
  });
}

async function editRelease(context: ProjectContext, problem?: string, ofAssets?: string): Promise<Outcome> {
  const { visit } = context;
  const tag = visit.params.tag ?? '';
  const stored = await visit.api.get(urlOfRelease(context));
  const form = card(visit, {
    action: `${pageOfRelease(context, tag)}/edit`,
    fields: changing,
    values:
      problem === undefined
        ? { ...stored, released_at: stored.released_at?.slice(0, 10) }
        : submittedValues(changing, visit.form),
    button: 'Save',
    problem,
  });
  const title = `Edit ${stored.name}`;
  const status = (problem ?? ofAssets) !== undefined && { status: 422 };
  return inProject(context, {
    title,
    tab: 'releases',
    body: html`<h1>${title}</h1>${form}${releaseAssets(context, stored, ofAssets)}`,
    ...status,
  });
}

async function saveRelease(context: ProjectContext): Promise<Outcome> {
  const { visit } = context;
  const { released_at, ...sent } = readFields(changing, visit.form, 'keep');
  return submit(visit, {
    method: 'PUT',
    path: urlOfRelease(context),
    sent: released_at === '' ? sent : { ...sent, released_at },
    to: pageOfRelease(context, visit.params.tag ?? ''),
    again: (problem) => editRelease(context, problem),
  });
}

async function removeRelease(context: ProjectContext): Promise<Outcome> {
  await context.visit.api.send('DELETE', urlOfRelease(context));
  return { redirect: `${context.home}/-/releases` };
}

const one = '/:project/-/releases/:tag';

/** A tag with slashes is encoded as a single URL segment. */
export const releasePages: readonly Page[] = [
  projectPage({ path: '/:project/-/releases', show: releasesPage }),
  projectPage({ method: 'POST', path: '/:project/-/releases', show: createRelease }),
  projectPage({ path: '/:project/-/releases/new', signedIn: true, show: (context) => newRelease(context) }),
  projectPage({ path: `${one}/edit`, signedIn: true, show: (context) => editRelease(context) }),
  projectPage({ method: 'POST', path: `${one}/edit`, show: saveRelease }),
  projectPage({ method: 'POST', path: `${one}/remove`, show: removeRelease }),
  ...releaseAssetPages((context, problem) => editRelease(context, undefined, problem)),
  projectPage({ path: '/:project/-/releases/*tag', show: releasePage }),
];
