import type { Entity } from '../frame/api.ts';
import { badge, label, listOr, moment } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { inProject, missing, type Place, projectPage } from '../places/project.ts';
import { actionButton, person } from './discussion.ts';
import { filterBar, listQuery } from './filters.ts';
import { commentOnIssue, createIssue, issuePage, issuesPage, newIssuePage, workItem } from './issues.ts';

async function labelsPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const answer = await visit.api.page(`${api}/labels`, { per_page: 50, page: pageOf(visit), with_counts: true });
  const item = (one: Entity) =>
    html`<li class="row">${label(one.name, one.color, `${home}/-/issues?label_name=${encodeURIComponent(one.name)}`)}<span>${one.description}</span><span class="end muted">${one.open_issues_count ?? 0} open issues</span></li>`;
  const body = html`<h1>Labels</h1>${listOr(answer.body, item, 'No label yet.')}${pager(visit, answer)}`;
  return inProject(place, { title: 'Labels', tab: 'issues', body });
}

async function milestonesPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const state = visit.query.get('state') === 'closed' ? 'closed' : 'active';
  const answer = await visit.api.page(`${api}/milestones`, {
    per_page: 20,
    page: pageOf(visit),
    state,
    include_ancestors: true,
  });
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${home}/-/milestones/${one.iid}"><strong>${one.title}</strong></a>${badge(one.state)}<span class="end muted">${one.due_date && html`due ${one.due_date}`}</span></li>`;
  const body = html`<h1>Milestones</h1><p class="row"><a href="?state=active">active</a><a href="?state=closed">closed</a></p>${listOr(answer.body, item, 'No milestone.')}${pager(visit, answer)}`;
  return inProject(place, { title: 'Milestones', tab: 'issues', body });
}

async function milestonePage(place: Place): Promise<Outcome> {
  const { visit, api, project } = place;
  const [milestone] = await visit.api.get(`${api}/milestones`, { iids: [visit.params.iid] });
  if (!milestone) throw missing();
  const [text, issues] = await Promise.all([
    renderOne(visit, project.path_with_namespace, milestone.description ?? ''),
    visit.api.page(`${api}/issues`, { milestone: milestone.title, scope: 'all', per_page: 50, page: pageOf(visit) }),
  ]);
  const body = html`<div class="row"><h1>${milestone.title}</h1>${badge(milestone.state)}</div><p class="muted">${milestone.start_date} ${milestone.due_date && html`until ${milestone.due_date}`}</p>${text}<h2>Issues</h2>${listOr(issues.body, (issue) => workItem(visit, issue), 'No issue.')}${pager(visit, issues)}`;
  return inProject(place, { title: milestone.title, tab: 'issues', body });
}

const mine = (what: 'issues' | 'merge_requests', title: string) => async (visit: Visit) => {
  const reviews = what === 'merge_requests' && visit.query.get('scope') === 'reviews';
  const { scope: _, ...query } = listQuery(visit);
  const scope = reviews
    ? 'reviews_for_me'
    : visit.query.get('scope') === 'created'
      ? 'created_by_me'
      : 'assigned_to_me';
  const answer = await visit.api.page(`/${what}`, { ...query, scope });
  const body = html`<h1>${title}</h1><p class="row"><a href="?scope=assigned">For you</a><a href="?scope=created">By you</a>${what === 'merge_requests' && html`<a href="?scope=reviews">To review</a>`}</p>${listOr(answer.body, (item) => workItem(visit, item), 'Nothing here.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title, body }) };
};

async function groupIssues(visit: Visit): Promise<Outcome> {
  const group = await visit.api.get(`/groups/${encodeURIComponent(visit.params.path ?? '')}`, { with_projects: false });
  const answer = await visit.api.page(`/groups/${group.id}/issues`, listQuery(visit));
  const crumbs = [{ text: group.full_name, href: `${visit.base}/${group.full_path}` }];
  const body = html`<h1>Issues</h1>${filterBar(visit, ['opened', 'closed', 'all'])}${listOr(answer.body, (item) => workItem(visit, item), 'No issue fits.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title: 'Issues', crumbs, body }) };
}

async function todosPage(visit: Visit): Promise<Outcome> {
  const state = visit.query.get('state') === 'done' ? 'done' : 'pending';
  const answer = await visit.api.page('/todos', { state, per_page: 20, page: pageOf(visit) });
  const item = (todo: Entity) => {
    const url = new URL(todo.target_url, visit.services.externalUrl);
    const done =
      state === 'pending' &&
      html`<span class="end">${actionButton(visit, `${visit.base}/dashboard/todos/${todo.id}/done`, 'Done')}</span>`;
    return html`<li><div class="row"><a class="main" href="${url.pathname}${url.hash}"><strong>${todo.target?.title ?? todo.body}</strong></a>${done}</div><p class="muted">${person(visit, todo.author)} ${todo.action_name.replaceAll('_', ' ')} · ${todo.project?.path_with_namespace} · ${moment(todo.created_at)}</p></li>`;
  };
  const body = html`<h1>To-dos</h1><p class="row"><a href="?state=pending">to do</a><a href="?state=done">done</a></p>${listOr(answer.body, item, 'Nothing is waiting for you.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title: 'To-dos', body }) };
}

async function finishTodo(visit: Visit): Promise<Outcome> {
  await visit.api.send('POST', `/todos/${visit.params.id}/mark_as_done`);
  return { redirect: `${visit.base}/dashboard/todos` };
}

export const planningPages: readonly Page[] = [
  { path: '/dashboard/issues', signedIn: true, show: mine('issues', 'Your issues') },
  { path: '/dashboard/merge_requests', signedIn: true, show: mine('merge_requests', 'Your merge requests') },
  { path: '/dashboard/todos', signedIn: true, show: todosPage },
  { method: 'POST', path: '/dashboard/todos/:id/done', show: finishTodo },
  { path: '/groups/:path/-/issues', show: groupIssues },
  projectPage({ path: '/:project/-/issues', show: issuesPage }),
  projectPage({ method: 'POST', path: '/:project/-/issues', show: createIssue }),
  projectPage({ path: '/:project/-/issues/new', signedIn: true, show: (place) => newIssuePage(place) }),
  projectPage({ path: '/:project/-/issues/:iid', show: issuePage }),
  projectPage({ path: '/:project/-/work_items/:iid', show: issuePage }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/notes', show: commentOnIssue }),
  projectPage({ path: '/:project/-/labels', show: labelsPage }),
  projectPage({ path: '/:project/-/milestones', show: milestonesPage }),
  projectPage({ path: '/:project/-/milestones/:iid', show: milestonePage }),
];
