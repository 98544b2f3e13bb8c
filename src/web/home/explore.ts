import type { Entity } from '../frame/api.ts';
import { badge, count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout, thisPage } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { userLink } from '../planning/discussion.ts';
import { groupItem, projectItem } from './project-list.ts';

const kinds: readonly (readonly [text: string, path: string, signedIn?: true])[] = [
  ['Projects', '/explore'],
  ['Groups', '/explore/groups'],
  ['Topics', '/explore/projects/topics'],
  ['Snippets', '/explore/snippets', true],
];

/** Links to the kinds of things to explore. */
function views({ base, user }: Visit, current: string): Html {
  const link = ([text, path]: (typeof kinds)[number]) =>
    html`<a href="${base}${path}"${path === current && html` aria-current="page"`}>${text}</a>`;
  const offered = kinds.filter(([, , signedIn]) => user !== null || !signedIn);
  return html`<nav class="row views" aria-label="Explore">${offered.map(link)}</nav>`;
}

export function searchForm({ base, path, query }: Visit, what: string): Html {
  return html`<form class="filters" action="${base}${path}"><label>${what}<input type="search" name="name" value="${query.get('name') ?? ''}"></label><button>Search</button></form>`;
}

/** Lists the projects visible to the user. */
export async function explore(visit: Visit): Promise<Outcome> {
  const { api, base } = visit;
  const query = { order_by: 'last_activity_at', per_page: 20, page: pageOf(visit), search: visit.query.get('name') };
  const projects = await api.page('/projects', query);
  const body = html`${views(visit, '/explore')}<h1>Explore projects</h1>${searchForm(visit, 'Project')}
${listOr(projects.body, (project) => projectItem(visit, project), visit.user ? 'No visible projects.' : html`No public project. <a href="${base}/users/sign_in">Sign in</a> to see yours.`)}${pager(visit, projects)}`;
  return { page: layout(visit, { title: 'Explore projects', body }) };
}

async function groups(visit: Visit): Promise<Outcome> {
  const query = { all_available: true, per_page: 20, page: pageOf(visit), search: visit.query.get('name') };
  const found = await visit.api.page('/groups', query);
  const body = html`${views(visit, '/explore/groups')}<h1>Explore groups</h1>${searchForm(visit, 'Group')}${listOr(found.body, (group) => groupItem(visit, group), 'No visible groups.')}${pager(visit, found)}`;
  return { page: layout(visit, { title: 'Explore groups', body }) };
}

const topicAddress = ({ base }: Visit, name: string) => `${base}/explore/projects/topics/${encodeURIComponent(name)}`;

async function topics(visit: Visit): Promise<Outcome> {
  const query = { per_page: 20, page: pageOf(visit), search: visit.query.get('name') };
  const found = await visit.api.page('/topics', query);
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${topicAddress(visit, one.name)}"><strong>${one.title || one.name}</strong></a><span class="end muted">${count(one.total_projects_count, 'project')}</span></li>`;
  const empty = 'No topics. They are set in project settings.';
  const body = html`${views(visit, '/explore/projects/topics')}<h1>Explore topics</h1>${searchForm(visit, 'Topic')}${listOr(found.body, item, empty)}${pager(visit, found)}`;
  return { page: layout(visit, { title: 'Explore topics', body }) };
}

/** Lists the projects of a topic. The API finds topics by a part of their name, so the exact match is picked. */
async function topic(visit: Visit): Promise<Outcome> {
  const name = visit.params.topic ?? '';
  const [found, projects] = await Promise.all([
    visit.api.get('/topics', { search: name, per_page: 100 }),
    visit.api.page('/projects', { topic: name, order_by: 'last_activity_at', per_page: 20, page: pageOf(visit) }),
  ]);
  const known = found.find((one: Entity) => one.name.toLowerCase() === name.toLowerCase());
  if (!known && projects.body.length === 0) throw pageNotFound();
  const title = known?.title || known?.name || name;
  const text = known?.description && (await renderOne(visit, undefined, known.description));
  const body = html`<h1>${title}</h1>${text}${listOr(projects.body, (project) => projectItem(visit, project), 'No visible projects with this topic.')}${pager(visit, projects)}`;
  const above = { text: 'Explore topics', href: `${visit.base}/explore/projects/topics` };
  return { page: layout(visit, { title, crumbs: [above, thisPage(visit, title)], body }) };
}

async function snippets(visit: Visit): Promise<Outcome> {
  const found = await visit.api.page('/snippets/public', { per_page: 20, page: pageOf(visit) });
  const item = (one: Entity) =>
    html`<li><div class="row"><a class="main" href="${visit.base}/-/snippets/${one.id}"><strong>${one.title}</strong></a>${badge(one.visibility)}<span class="end muted">${userLink(visit, one.author)} · ${relativeTime(one.created_at)}</span></div></li>`;
  const empty = html`No public snippet. <a href="${visit.base}/-/snippets/new">Make one</a>.`;
  const body = html`${views(visit, '/explore/snippets')}<h1>Explore snippets</h1>${listOr(found.body, item, empty)}${pager(visit, found)}`;
  return { page: layout(visit, { title: 'Explore snippets', body }) };
}

export const explorePages: readonly Page[] = [
  { path: '/explore', show: explore },
  { path: '/explore/projects', show: explore },
  { path: '/explore/groups', show: groups },
  { path: '/explore/projects/topics', show: topics },
  { path: '/explore/projects/topics/:topic', show: topic },
  { path: '/explore/snippets', signedIn: true, show: snippets },
];
