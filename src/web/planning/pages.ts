import type { Entity } from '../frame/api.ts';
import { listOr, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { groupSection, projectSection } from '../namespaces/sections.ts';
import { boardPages, epicBoardPages } from './boards.ts';
import { actionButton, userLink } from './discussion.ts';
import { discussionPages } from './discussion-pages.ts';
import { epicPages } from './epics/pages.ts';
import { filterBar, listQuery, viewLinks } from './filters.ts';
import { createIssue, issueAct, issueForm, removeIssue, saveIssue } from './issue-write.ts';
import { commentOnIssue, issuePage, issuesPage, watchIssue } from './issues.ts';
import { moveIssue, switchPages } from './item-actions.ts';
import { iterationPages } from './iterations.ts';
import { labelPages } from './labels.ts';
import { addMetricImage, removeMetricImage } from './metric-images.ts';
import { milestonePages } from './milestones.ts';
import { reactionPages } from './reactions.ts';
import { addLink, removeLink } from './related.ts';
import { sidebarPages } from './sidebar.ts';
import { tickTask } from './tasks.ts';
import { timePages } from './time.ts';
import { workItem } from './work-item.ts';

const ownScopes = [
  ['for you', '?scope=assigned', 'assigned_to_me'],
  ['by you', '?scope=created', 'created_by_me'],
  ['to review', '?scope=reviews', 'reviews_for_me'],
] as const;

const dashboardList = (what: 'issues' | 'merge_requests', title: string) => async (visit: Visit) => {
  const scopes = ownScopes.filter(([name]) => name !== 'to review' || what === 'merge_requests');
  const requested = `?scope=${visit.query.get('scope')}`;
  const [chosen, , scope] = scopes.find(([, address]) => address === requested) ?? ownScopes[0];
  const query = listQuery(visit);
  const answer = await visit.api.page(`/${what}`, { ...query, scope });
  const body = html`<h1>${title}</h1>${viewLinks(scopes, chosen, 'Filter by user')}${filterBar(visit, what === 'issues' ? ['opened', 'closed', 'all'] : ['opened', 'merged', 'closed', 'all'])}${listOr(answer.body, (item) => workItem(visit, item), 'No results.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title, body }) };
};

/** Lists the issues or merge requests of a group. */
const groupList =
  (what: 'issues' | 'merge_requests', title: string, states: readonly string[]) =>
  async (context: GroupContext): Promise<Outcome> => {
    const { visit, api } = context;
    const answer = await visit.api.page(`${api}/${what}`, listQuery(visit));
    const body = html`<h1>${title}</h1>${filterBar(visit, states)}${listOr(answer.body, (item) => workItem(visit, item), 'No results.')}${pager(visit, answer)}`;
    return inGroup(context, { title, tab: what, body });
  };

const todoStates = [
  ['pending', '?state=pending'],
  ['done', '?state=done'],
] as const;

/** Descriptions of to-do items without an author. */
const happened: Readonly<Record<string, string>> = {
  build_failed: 'Its pipeline failed',
  unmergeable: 'It conflicts with its target',
};

async function todosPage(visit: Visit): Promise<Outcome> {
  const state = visit.query.get('state') === 'done' ? 'done' : 'pending';
  const answer = await visit.api.page('/todos', { state, per_page: 20, page: pageOf(visit) });
  const item = (todo: Entity) => {
    const url = new URL(todo.target_url, visit.services.externalUrl);
    const done =
      state === 'pending' &&
      html`<span class="end">${actionButton(visit, `${visit.base}/dashboard/todos/${todo.id}/done`, 'Done')}</span>`;
    const why =
      happened[todo.action_name] ?? html`${userLink(visit, todo.author)} ${todo.action_name.replaceAll('_', ' ')}`;
    return html`<li><div class="row"><a class="main" href="${url.pathname}${url.hash}"><strong>${todo.target?.title ?? todo.body}</strong></a>${done}</div><p class="muted">${why} · ${todo.project?.path_with_namespace ?? todo.group?.full_path} · ${relativeTime(todo.created_at)}</p></li>`;
  };
  const all =
    state === 'pending' &&
    answer.body.length > 0 &&
    actionButton(visit, `${visit.base}/dashboard/todos/all/done`, 'Mark all as done');
  const body = html`<div class="row"><h1>To-dos</h1><span class="end">${all}</span></div>${viewLinks(todoStates, state)}${listOr(answer.body, item, 'Nothing is waiting for you.')}${pager(visit, answer)}`;
  return { page: layout(visit, { title: 'To-dos', body }) };
}

async function finishTodo(visit: Visit): Promise<Outcome> {
  await visit.api.send('POST', `/todos/${visit.params.id}/mark_as_done`);
  return { redirect: `${visit.base}/dashboard/todos` };
}

async function finishAllTodos(visit: Visit): Promise<Outcome> {
  await visit.api.send('POST', '/todos/mark_as_done');
  return { redirect: `${visit.base}/dashboard/todos` };
}

type OrAgain = (context: ProjectContext, again: (problem: string) => Promise<Outcome>) => Promise<Outcome>;

/** Shows errors of a form on the issue's page. */
const orIssue = (act: OrAgain) => (context: ProjectContext) => act(context, (problem) => issuePage(context, problem));

export const planningPages: readonly Page[] = [
  { path: '/dashboard/issues', signedIn: true, show: dashboardList('issues', 'Your issues') },
  { path: '/dashboard/merge_requests', signedIn: true, show: dashboardList('merge_requests', 'Your merge requests') },
  { path: '/dashboard/todos', signedIn: true, show: todosPage },
  { method: 'POST', path: '/dashboard/todos/:id/done', show: finishTodo },
  { method: 'POST', path: '/dashboard/todos/all/done', show: finishAllTodos },
  projectPage({ path: '/:project/-/issues', show: issuesPage }),
  projectPage({ method: 'POST', path: '/:project/-/issues', show: createIssue }),
  projectPage({ path: '/:project/-/issues/new', signedIn: true, show: (context) => issueForm(context) }),
  projectPage({ path: '/:project/-/issues/:iid', show: (context) => issuePage(context), watch: watchIssue }),
  projectPage({ path: '/:project/-/work_items/:iid', show: (context) => issuePage(context), watch: watchIssue }),
  projectPage({ path: '/:project/-/issues/:iid/edit', signedIn: true, show: (context) => issueForm(context) }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/edit', show: saveIssue }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/subscribe', show: issueAct('subscribe') }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/unsubscribe', show: issueAct('unsubscribe') }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/todo', show: issueAct('todo') }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/remove', show: removeIssue }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/notes', show: commentOnIssue }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/tasks', show: tickTask('issues') }),
  ...discussionPages('issues'),
  ...reactionPages('issues'),
  ...sidebarPages('issues', issuePage),
  ...timePages('issues', issuePage),
  ...switchPages('issues'),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/move', show: orIssue(moveIssue) }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/links', show: orIssue(addLink) }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/links/remove', show: removeLink }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/metric_images', show: orIssue(addMetricImage) }),
  projectPage({ method: 'POST', path: '/:project/-/issues/:iid/metric_images/remove', show: removeMetricImage }),
  ...boardPages(projectSection('issues'), '/:project'),
  ...boardPages(groupSection('boards'), '/groups/:path'),
  ...epicBoardPages(groupSection('epics')),
  ...iterationPages,
  ...labelPages(projectSection('issues'), '/:project'),
  ...milestonePages(projectSection('issues'), '/:project'),
  ...labelPages(groupSection('labels'), '/groups/:path'),
  ...milestonePages(groupSection('milestones'), '/groups/:path'),
  ...epicPages,
  groupPage({ path: '/groups/:path/-/issues', show: groupList('issues', 'Issues', ['opened', 'closed', 'all']) }),
  groupPage({
    path: '/groups/:path/-/merge_requests',
    show: groupList('merge_requests', 'Merge requests', ['opened', 'merged', 'closed', 'all']),
  }),
];
