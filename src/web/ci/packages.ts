import { alert } from '../forms/card.ts';
import { drawField, type Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { userLink } from '../planning/discussion.ts';
import { installLines, kindName, kinds } from './package-kinds.ts';

const tab = 'releases';
const path = '/-/packages';

const filters: readonly Field[] = [
  { name: 'package_name', label: 'Part of the name' },
  { name: 'package_type', label: 'Kind', kind: 'select', options: [['', 'Any'], ...kinds] },
];

/** When, by whom and in which pipeline a package was published. */
function origin({ visit, home }: Pick<ProjectContext, 'visit' | 'home'>, one: Entity): Html {
  const by = one.creator && html` by ${userLink(visit, one.creator)}`;
  const from = one.pipeline && html` in <a href="${home}/-/pipelines/${one.pipeline.id}">#${one.pipeline.id}</a>`;
  return html`${relativeTime(one.created_at)}${by}${from}`;
}

/** The filters in the query, and their form. */
function filtered(visit: Visit) {
  const kind = kinds.find(([value]) => value === visit.query.get('package_type'))?.[0];
  const chosen = { package_name: visit.query.get('package_name') || undefined, package_type: kind };
  const form = html`<form class="filters" action="${visit.base}${visit.path}">${filters.map((field) => drawField(field, visit.query.get(field.name)))}<button>Filter</button></form>`;
  const query = { ...chosen, order_by: 'created_at', sort: 'desc', per_page: 20, page: pageOf(visit) };
  const none =
    visit.query.size > 0
      ? html`No package fits. <a href="${visit.base}${visit.path}">Show all</a>`
      : 'No packages yet.';
  return { query, form, none };
}

/** A package in a list; `home` is that of its project. */
const packageItem = (visit: Visit, home: string, one: Entity, project?: Html) =>
  html`<li class="row"><a class="main" href="${home}${path}/${one.id}"><strong>${one.name}</strong> ${one.version}</a><span class="muted">${kindName(one.package_type)}</span>${one.status !== 'default' && badge(one.status)}${project}<span class="end muted">${origin({ visit, home }, one)}</span></li>`;

/** Lists the packages of a project, newest first. */
async function packagesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { query, form, none } = filtered(visit);
  const rejected = { package_type: 'debian', status: 'error', include_versionless: true, per_page: 1 };
  const [answer, problems] = await Promise.all([
    visit.api.page(`${api}/packages`, query),
    visit.api.page(`${api}/packages`, rejected),
  ]);
  const list = listOr(answer.body, (one) => packageItem(visit, home, one), none);
  const body = html`${sectionTitle('Packages')}${alert(problems.body[0]?.status_message)}${form}${list}${pager(visit, answer)}`;
  return inProject(context, { title: 'Packages', tab, body });
}

/** Lists the packages of a group and its subgroups, newest first. */
async function groupPackagesPage(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  const { query, form, none } = filtered(visit);
  const answer = await visit.api.page(`${api}/packages`, query);
  const item = (one: Entity) => {
    const home = `${visit.base}/${one.project_path}`;
    return packageItem(visit, home, one, html`<a href="${home}">${one.project_path}</a>`);
  };
  const body = html`${sectionTitle('Packages')}${form}${listOr(answer.body, item, none)}${pager(visit, answer)}`;
  return inGroup(context, { title: 'Packages', tab: 'packages', body });
}

/** A package file with its checksums. */
function fileItem({ visit, api }: ProjectContext, file: Entity): Html {
  const address = `${visit.base}/api/v4${api}/packages/${file.package_id}/package_files/${file.id}/download`;
  const digest = (name: string, value: string) => html`<br>${name} <code>${value}</code>`;
  return html`<li class="row"><span class="main"><a href="${address}" data-turbo="false">${file.file_name}</a><span class="muted">${digest('SHA-256', file.file_sha256)}${digest('SHA-1', file.file_sha1)}${digest('MD5', file.file_md5)}</span></span><span class="end muted">${size(file.size)} · ${relativeTime(file.created_at)}</span></li>`;
}

/** The user must type the name to delete a package, because this cannot be undone. */
function removal({ visit, home }: ProjectContext, one: Entity): Html | false {
  return (
    one._links.delete_api_path !== undefined &&
    html`<h2>Delete</h2><form class="card" method="post" action="${home}${path}/${one.id}/remove">${csrfField(visit)}<label>Type <code>${one.name}</code> to delete this version and its files<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete the package</button></div></form>`
  );
}

/** Shows a package version: its files, install commands and other versions. */
async function packagePage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/packages/${visit.params.id}`;
  const [one, files] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/package_files`, { per_page: 20, page: pageOf(visit), sort: 'desc' }),
  ]);
  const install = installLines(one, placesOf(context), files.body[0]?.file_name).join('\n');
  const version = (other: Entity) =>
    html`<li class="row"><a class="main" href="${home}${path}/${other.id}">${other.version}</a><span class="end muted">${relativeTime(other.created_at)}</span></li>`;
  const others =
    one.versions.length > 0 && html`<h2>Other versions</h2><ul class="list">${one.versions.map(version)}</ul>`;
  const title = `${one.name} ${one.version ?? ''}`.trim();
  const body = html`${sectionTitle(title)}${alert(problem ?? one.status_message)}<p class="muted">${kindName(one.package_type)} · ${origin(context, one)}</p>${install !== '' && html`<h2>Install</h2><pre class="box"><code class="inner">${install}</code></pre>`}<h2>Files</h2>${listOr(files.body, (file) => fileItem(context, file), 'No file.')}${pager(visit, files)}${others}${removal(context, one)}`;
  return inProject(context, { title, tab, body, ...(problem !== undefined && { status: 422 }) });
}

function placesOf({ visit, project }: ProjectContext) {
  const api = `${visit.services.externalUrl}/api/v4`;
  const { kind, id } = project.namespace;
  return {
    registry: `${api}/projects/${project.id}/packages`,
    groupRegistry: kind === 'group' ? `${api}/group/${id}/-/packages` : undefined,
    top: project.path_with_namespace.split('/')[0],
  };
}

async function removePackage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/packages/${visit.params.id}`;
  const { name } = await visit.api.get(url);
  if (visit.form.get('confirm') !== name) {
    return packagePage(context, 'The name does not match: nothing was deleted.');
  }
  await visit.api.send('DELETE', url);
  return { redirect: `${home}${path}` };
}

export const packagePages: readonly Page[] = [
  groupPage({ path: `/groups/:path${path}`, show: groupPackagesPage }),
  projectPage({ path: `/:project${path}`, show: packagesPage }),
  projectPage({ path: `/:project${path}/:id`, show: (context) => packagePage(context) }),
  projectPage({ method: 'POST', path: `/:project${path}/:id/remove`, show: removePackage }),
];
