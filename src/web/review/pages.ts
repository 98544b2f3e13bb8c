import { deployedTo } from '../ci/deployments.ts';
import { commitLine } from '../code/file-frame.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { comment } from '../planning/comment.ts';
import { actionButton, commentOrLock, descriptionComment } from '../planning/discussion.ts';
import { discussionPages } from '../planning/discussion-pages.ts';
import { filterBar, listQuery } from '../planning/filters.ts';
import { switchPages } from '../planning/item-actions.ts';
import { noteablePaths } from '../planning/kind.ts';
import { reactionPages, reactions } from '../planning/reactions.ts';
import { issuesOf } from '../planning/related.ts';
import { sidebar, sidebarPages } from '../planning/sidebar.ts';
import { tasksOf, tickTask } from '../planning/tasks.ts';
import { discussion } from '../planning/threads.ts';
import { timePages } from '../planning/time.ts';
import { workItem } from '../planning/work-item.ts';
import {
  addTodo,
  approve,
  cancelMerge,
  merge,
  rebase,
  retryCheck,
  runPipeline,
  subscribe,
  toggleDraft,
  unapprove,
  unsubscribe,
} from './actions.ts';
import { changesPage, commentOnLine, watchChanges } from './changes.ts';
import { conflictsPage, resolveConflicts } from './conflicts.ts';
import { applySuggestion, applySuggestions, discardDraft, draftReply, reviewBox, sendReview } from './drafts.ts';
import { header, type View } from './header.ts';
import { approvalBox, hasTrains, mayTryToMerge, mergeBox, statusCheckBox } from './merge-box.ts';
import { testBox } from './test-box.ts';
import { trainPages } from './train.ts';
import { markViewed } from './viewed.ts';
import { create, editPage, newPage, save } from './write.ts';

async function listPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/merge_requests`, listQuery(visit));
  const add = visit.user
    ? html`<a class="button primary" href="${home}/-/merge_requests/new">New merge request</a>`
    : undefined;
  const body = html`${sectionTitle('Merge requests', add)}${filterBar(visit, ['opened', 'merged', 'closed', 'all'])}${listOr(answer.body, (one) => workItem(visit, one), visit.query.size > 0 ? html`No merge request fits. <a href="${home}/-/merge_requests">Show all open</a>` : html`No merge request is open. Push a branch, then <a href="${home}/-/merge_requests/new">propose to merge it</a>.`)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Merge requests', tab: 'merge_requests', body });
}

/** Deployments of the merge request's head or merge commit. */
async function deploymentsOf({ visit, api }: ProjectContext, request: Entity): Promise<readonly Entity[]> {
  if (!visit.user) return [];
  const head = request.head_pipeline?.sha ?? request.sha;
  const sha = request.state === 'merged' ? (request.merge_commit_sha ?? request.squash_commit_sha ?? head) : head;
  if (!sha) return [];
  return (await visit.api.maybe(`${api}/deployments`, { sha, order_by: 'id', sort: 'desc', per_page: 20 })) ?? [];
}

/** The live-updated parts of a merge request's page. */
async function liveParts(context: ProjectContext) {
  const { visit, api } = context;
  const { url, page } = noteablePaths(context, 'merge_requests');
  const [request, talk, approvals, rules, checks, awards, car] = await Promise.all([
    visit.api.get(url, { include_diverged_commits_count: true, include_rebase_in_progress: true }),
    discussion(visit, { url, page, place: context.project.path_with_namespace, reactions: url }),
    visit.user ? visit.api.maybe(`${url}/approvals`) : undefined,
    visit.user ? visit.api.maybe(`${url}/approval_state`) : undefined,
    visit.user ? visit.api.maybe(`${url}/status_checks`, { per_page: 100 }) : undefined,
    reactions(visit, url, page),
    hasTrains(context) ? visit.api.maybe(`${api}/merge_trains/merge_requests/${visit.params.iid}`) : undefined,
  ]);
  const [deployments, tests, messages] = await Promise.all([
    deploymentsOf(context, request),
    testBox(context, request),
    mayTryToMerge(request) ? visit.api.get(`${url}/default_messages`) : undefined,
  ]);
  const parts = {
    'request-head': header(context, request, ''),
    'request-reactions': awards,
    'request-merge': html`${approvalBox(context, request, approvals, rules)}${statusCheckBox(context, request, checks ?? [])}${tests}${mergeBox(context, { request, car, messages })}${deployedTo(context, deployments)}`,
    'request-talk': talk,
  };
  return { request, parts };
}

async function watchOverview(context: ProjectContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => (await liveParts(context)).parts);
  // No event is sent when the mergeability check finishes.
  return { projectId: context.project.id, every: 5_000, changes };
}

async function overviewPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home, project } = context;
  const page = `${home}/-/merge_requests/${visit.params.iid}`;
  const { request, parts } = await liveParts(context);
  const part = (id: keyof typeof parts) => livePart(id, parts[id]);
  const [text, review, side, issues] = await Promise.all([
    renderOne(visit, project.path_with_namespace, request.description ?? ''),
    reviewBox(context, request, ''),
    sidebar(context, 'merge_requests', request, problem),
    issuesOf(context, request),
  ]);
  const other =
    request.state === 'opened'
      ? { value: 'close', text: 'Close' }
      : request.state === 'closed'
        ? { value: 'reopen', text: 'Reopen' }
        : undefined;
  const body = html`${part('request-head')}<div class="columns"><div>${descriptionComment(visit, request, text, tasksOf(context, 'merge_requests', request))}${part('request-reactions')}${issues}${part('request-merge')}${part('request-talk')}${review}${commentOrLock(context, request, `${page}/notes`, other)}</div>${side}</div>`;
  const status = problem !== undefined && { status: 422 };
  return inProject(context, { title: request.title, tab: 'merge_requests', body, ...status });
}

/** A view that lists items of the merge request. */
const listView =
  (view: View, path: string, draw: (context: ProjectContext, item: Entity) => ReturnType<typeof html>, empty: string) =>
  async (context: ProjectContext): Promise<Outcome> => {
    const { visit, api, home } = context;
    const url = `${api}/merge_requests/${visit.params.iid}`;
    const [request, found] = await Promise.all([
      visit.api.get(url),
      visit.api.page(`${url}/${path}`, { per_page: 50, page: pageOf(visit) }),
    ]);
    const run =
      view === '/pipelines' &&
      visit.user &&
      request.state === 'opened' &&
      html`<p>${actionButton(visit, `${home}/-/merge_requests/${request.iid}/pipelines`, 'Run pipeline')}</p>`;
    const body = html`${header(context, request, view)}${run}${listOr(found.body, (item) => draw(context, item), empty)}${pager(visit, found)}`;
    return inProject(context, { title: request.title, tab: 'merge_requests', body });
  };

const commitsPage = listView(
  '/commits',
  'commits',
  (context, commit) => html`<li>${commitLine(context, commit)}</li>`,
  'No commits.',
);

const pipelinesPage = listView(
  '/pipelines',
  'pipelines',
  ({ home }, one) =>
    html`<li class="row"><a class="main" href="${home}/-/pipelines/${one.id}"><strong>#${one.id}</strong></a>${badge(one.status)}<span>${one.ref}</span><span class="end muted">${one.source} · ${relativeTime(one.created_at)}</span></li>`,
  'No pipelines.',
);

const commentOn = (context: ProjectContext): Promise<Outcome> =>
  comment(context.visit, noteablePaths(context, 'merge_requests'));

const one = '/:project/-/merge_requests/:iid';
const post = (path: string, show: (context: ProjectContext) => Promise<Outcome>) =>
  projectPage({ method: 'POST', path: `${one}${path}`, show });

export const reviewPages: readonly Page[] = [
  projectPage({ path: '/:project/-/merge_requests', show: listPage }),
  projectPage({ method: 'POST', path: '/:project/-/merge_requests', show: create }),
  projectPage({ path: '/:project/-/merge_requests/new', signedIn: true, show: (context) => newPage(context) }),
  projectPage({ path: one, show: (context) => overviewPage(context), watch: watchOverview }),
  projectPage({ path: `${one}/commits`, show: commitsPage }),
  projectPage({ path: `${one}/pipelines`, show: pipelinesPage }),
  projectPage({ path: `${one}/diffs`, show: changesPage, watch: watchChanges }),
  projectPage({ path: `${one}/edit`, signedIn: true, show: (context) => editPage(context) }),
  projectPage({ path: `${one}/conflicts`, signedIn: true, show: (context) => conflictsPage(context) }),
  post('/conflicts', resolveConflicts),
  post('/edit', save),
  post('/notes', commentOn),
  post('/discussions', commentOnLine),
  post('/viewed', markViewed),
  post('/merge', merge),
  post('/cancel_merge', cancelMerge),
  post('/rebase', rebase),
  post('/approve', approve),
  post('/unapprove', unapprove),
  post('/status_checks/:check/retry', retryCheck),
  post('/draft', toggleDraft),
  post('/subscribe', subscribe),
  post('/unsubscribe', unsubscribe),
  post('/todo', addTodo),
  post('/review', sendReview),
  post('/drafts/:id/remove', discardDraft),
  post('/discussions/:thread/draft', draftReply),
  post('/suggestions', applySuggestions),
  post('/suggestions/:id/apply', applySuggestion),
  ...reactionPages('merge_requests'),
  ...sidebarPages('merge_requests', overviewPage),
  ...timePages('merge_requests', overviewPage),
  ...switchPages('merge_requests'),
  post('/pipelines', runPipeline),
  projectPage({ method: 'POST', path: '/:project/-/merge_requests/:iid/tasks', show: tickTask('merge_requests') }),
  ...discussionPages('merge_requests'),
  ...trainPages,
];
