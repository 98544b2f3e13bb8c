import type { Entity } from '../frame/api.ts';
import { count, listOr, relativeTime, size } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';

const tab = 'releases';
const path = '/-/container_registry';
const mayDelete = ({ visit, project }: ProjectContext, least: number) => roleInProject(visit, project) >= least;

/** Lists the container repositories of a project. */
async function repositoriesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const query = { per_page: 20, page: pageOf(visit), tags_count: true };
  const answer = await visit.api.page(`${api}/registry/repositories`, query);
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${home}${path}/${one.id}"><strong>${one.path}</strong></a><span class="end muted">${count(one.tags_count, 'tag')} · ${relativeTime(one.created_at)}</span>${mayDelete(context, 40) && actionButton(visit, `${home}${path}/${one.id}/remove`, 'Delete', {}, { confirm: 'Delete this repository with all its tags?' })}</li>`;
  const prefix = project.container_registry_image_prefix;
  const empty = html`No image yet. Push one: <code>docker push ${prefix}:latest</code>`;
  const body = html`${sectionTitle('Images')}${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Images', tab, body });
}

/** Lists the container repositories of a group's projects. */
async function groupRepositoriesPage(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  const answer = await visit.api.page(`${api}/registry/repositories`, { per_page: 20, page: pageOf(visit) });
  const item = (one: Entity) => {
    const project = one.name === '' ? one.path : one.path.slice(0, -one.name.length - 1);
    const page = `${visit.base}/${project}${path}/${one.id}`;
    return html`<li class="row"><a class="main" href="${page}"><strong>${one.path}</strong></a><span class="end muted">${relativeTime(one.created_at)}</span></li>`;
  };
  const body = html`${sectionTitle('Images')}${listOr(answer.body, item, 'No image yet.')}${pager(visit, answer)}`;
  return inGroup(context, { title: 'Images', tab: 'container_registries', body });
}

/** Lists the tags of a container repository. */
async function tagsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/registry/repositories/${visit.params.id}`;
  const [repository, answer] = await Promise.all([
    visit.api.get(`/registry/repositories/${visit.params.id}`, { size: true }),
    visit.api.page(`${url}/tags`, { per_page: 20, page: pageOf(visit) }),
  ]);
  const page = `${home}${path}/${visit.params.id}`;
  const item = (one: Entity) =>
    html`<li class="row"><span class="main"><strong>${one.name}</strong> <code>${one.location}</code></span><span class="end">${mayDelete(context, 30) && actionButton(visit, `${page}/tags/remove`, 'Delete', { name: one.name }, { confirm: 'Delete this tag?' })}</span></li>`;
  const body = html`${sectionTitle(repository.path)}<p class="muted">${size(repository.size)}</p>${listOr(answer.body, item, 'No tags.')}${pager(visit, answer)}`;
  return inProject(context, { title: repository.path, tab, body });
}

async function removeRepository({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/registry/repositories/${visit.params.id}`);
  return { redirect: `${home}${path}` };
}

async function removeTag({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const name = encodeURIComponent(visit.form.get('name') ?? '');
  await visit.api.send('DELETE', `${api}/registry/repositories/${visit.params.id}/tags/${name}`);
  return { redirect: `${home}${path}/${visit.params.id}` };
}

export const imagePages: readonly Page[] = [
  groupPage({ path: '/groups/:path/-/container_registries', show: groupRepositoriesPage }),
  projectPage({ path: `/:project${path}`, show: repositoriesPage }),
  projectPage({ path: `/:project${path}/:id`, show: tagsPage }),
  projectPage({ method: 'POST', path: `/:project${path}/:id/remove`, show: removeRepository }),
  projectPage({ method: 'POST', path: `/:project${path}/:id/tags/remove`, show: removeTag }),
];
