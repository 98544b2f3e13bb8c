import { listOr, tiles } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { namedAddress } from '../frame/named-address.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { eventItem, homesOf } from '../namespaces/activity.ts';
import { explore, explorePages, searchForm } from './explore.ts';
import { groupItem, projectItem } from './project-list.ts';

/** The dashboard pages of the user. */
const own: readonly (readonly [text: string, path: string])[] = [
  ['Projects', '/dashboard/projects'],
  ['Starred', '/dashboard/projects/starred'],
  ['Groups', '/dashboard/groups'],
  ['Activity', '/dashboard/activity'],
];

function ownViews({ base }: Visit, current: string): Html {
  const link = ([text, path]: (typeof own)[number]) =>
    html`<a href="${base}${path}"${path === current && html` aria-current="page"`}>${text}</a>`;
  return html`<nav class="row views" aria-label="Views">${own.map(link)}</nav>`;
}

async function home(visit: Visit): Promise<Outcome> {
  if (!visit.user) return welcome(visit);
  const { api, base } = visit;
  const search = visit.query.get('name');
  const query = { membership: true, order_by: 'last_activity_at', per_page: 20, page: pageOf(visit), search };
  const [projects, waiting] = await Promise.all([api.page('/projects', query), api.maybe('/user_counts')]);
  const counts: readonly (readonly [string, string, number])[] = [
    ['To-dos', 'todos', waiting?.todos ?? 0],
    ['Assigned issues', 'issues', waiting?.assigned_issues ?? 0],
    ['Assigned merge requests', 'merge_requests', waiting?.assigned_merge_requests ?? 0],
    ['Review requests', 'merge_requests?scope=reviews', waiting?.review_requested_merge_requests ?? 0],
  ];
  const body = html`<div class="row"><h1>Your projects</h1><a class="button primary end" href="${base}/projects/new">New project</a></div>
${tiles(counts.map(([text, path, number]) => ({ text, number, href: `${base}/dashboard/${path}` })))}
${ownViews(visit, '/dashboard/projects')}${searchForm(visit, 'Project')}${listOr(projects.body, (project) => projectItem(visit, project), search ? 'No matching projects.' : html`You are in no project yet. <a href="${base}/projects/new">Make one</a>, or <a href="${base}/explore">look around</a>.`)}${pager(visit, projects)}`;
  return { page: layout(visit, { title: 'Your projects', body }) };
}

async function starred(visit: Visit): Promise<Outcome> {
  const { api, base, query } = visit;
  const listQuery = { starred: true, order_by: 'last_activity_at', per_page: 20, page: pageOf(visit) };
  const projects = await api.page('/projects', { ...listQuery, search: query.get('name') });
  const body = html`<h1>Starred projects</h1>${ownViews(visit, '/dashboard/projects/starred')}${searchForm(visit, 'Project')}${listOr(projects.body, (project) => projectItem(visit, project), html`A star on a project keeps it in this list. <a href="${base}/explore">Look around</a>.`)}${pager(visit, projects)}`;
  return { page: layout(visit, { title: 'Starred projects', body }) };
}

async function ownGroups(visit: Visit): Promise<Outcome> {
  const { api, base, query } = visit;
  const listQuery = { min_access_level: 10, order_by: 'name', per_page: 20, page: pageOf(visit) };
  const found = await api.page('/groups', { ...listQuery, search: query.get('name') });
  const body = html`<div class="row"><h1>Your groups</h1><a class="button primary end" href="${base}/groups/new">New group</a></div>${ownViews(visit, '/dashboard/groups')}${searchForm(visit, 'Group')}${listOr(found.body, (group) => groupItem(visit, group), html`You are in no group yet. A group contains projects and members; <a href="${base}/groups/new">make one</a>.`)}${pager(visit, found)}`;
  return { page: layout(visit, { title: 'Your groups', body }) };
}

/** Recent activity in the projects of the user, by anyone. */
async function ownActivity(visit: Visit): Promise<Outcome> {
  const { api } = visit;
  const [answer, projects] = await Promise.all([
    api.page('/events', { scope: 'all', per_page: 30, page: pageOf(visit) }),
    api.get('/projects', { membership: true, order_by: 'last_activity_at', simple: true, per_page: 100 }),
  ]);
  const item = eventItem(visit, homesOf(visit, projects));
  const empty = 'No activity yet. Pushes, issues, merge requests and comments in your projects will appear here.';
  const body = html`<h1>Activity</h1>${ownViews(visit, '/dashboard/activity')}${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return { page: layout(visit, { title: 'Activity', body }) };
}

/** Visitors see the explore page, unless the instance settings name another home page. */
async function welcome(visit: Visit): Promise<Outcome> {
  const { home_page_url: home } = await visit.services.settings.read();
  const named = namedAddress(visit, home);
  const own = [`${visit.base}/`, visit.services.externalUrl, `${visit.services.externalUrl}/`];
  return named && !own.includes(named.address) ? { redirect: named.address } : explore(visit);
}

const keys: readonly (readonly [string, string])[] = [
  ['?', 'this list'],
  ['Ctrl+K', 'open the command palette'],
  ['/', 'search'],
  ['t', 'find a file of the project'],
  ['y', 'permalink of the page'],
  ['j, k', 'next and previous entry of a list, or file of a change'],
  ['f', 'find a file of the change'],
  ['n, p', 'next and previous unresolved thread'],
  ['r', 'reply, quoting the selected text'],
  ['b', 'copy the branch of a merge request'],
  ['g then o', 'the project’s home'],
  ['g then f', 'its files'],
  ['g then c', 'its commits'],
  ['g then i', 'its issues'],
  ['g then m', 'its merge requests'],
  ['g then p', 'its pipelines'],
  ['Ctrl+Enter', 'send the form'],
  ['Ctrl+B, Ctrl+I, Ctrl+K', 'bold, italic, a link, while writing'],
  ['Ctrl+Shift+P', 'preview'],
  ['↑', 'in an empty field: edit your last comment'],
];

function shortcuts(visit: Visit): Outcome {
  const body = html`<h1>Keyboard shortcuts</h1><table>${keys.map(([key, text]) => html`<tr><th><kbd>${key}</kbd></th><td>${text}</td></tr>`)}</table>`;
  return { page: layout(visit, { title: 'Keyboard shortcuts', body }) };
}

export const homePages: readonly Page[] = [
  { path: '/', show: home },
  { path: '/dashboard', show: home, signedIn: true },
  { path: '/dashboard/projects', show: home, signedIn: true },
  { path: '/dashboard/projects/starred', show: starred, signedIn: true },
  { path: '/dashboard/groups', show: ownGroups, signedIn: true },
  { path: '/dashboard/activity', show: ownActivity, signedIn: true },
  ...explorePages,
  { path: '/help/shortcuts', show: shortcuts },
];
