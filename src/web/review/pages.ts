import { diffFiles } from '../code/diff.ts';
import { commitLine } from '../code/file-frame.ts';
import { inAddress } from '../frame/addresses.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge, listOr, moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type Place, projectPage, sectionTitle } from '../places/project.ts';
import { actionButton, commentForm, discussion, person, say } from '../planning/discussion.ts';
import { filterBar, listQuery } from '../planning/filters.ts';
import { sidebar, workItem } from '../planning/issues.ts';

async function listPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const { assignee_username: assignees, ...query } = listQuery(visit);
  const assignee = Array.isArray(assignees) ? assignees[0] : undefined;
  const answer = await visit.api.page(`${api}/merge_requests`, { ...query, assignee_username: assignee });
  const add = visit.user
    ? html`<a class="button primary" href="${home}/-/merge_requests/new">New merge request</a>`
    : undefined;
  const body = html`${sectionTitle('Merge requests', add)}${filterBar(visit, ['opened', 'merged', 'closed', 'all'])}${listOr(answer.body, (one) => workItem(visit, one), 'No merge request fits.')}${pager(visit, answer)}`;
  return inProject(place, { title: 'Merge requests', tab: 'merge_requests', body });
}

/** Why it cannot be merged now, in words. */
const reasons: Readonly<Record<string, string>> = {
  approvals_syncing: 'Approvals are being looked at.',
  checking: 'Whether it can be merged is being looked at; open the page again in a moment.',
  ci_must_pass: 'Its pipeline must pass first.',
  ci_still_running: 'Its pipeline is still running.',
  commits_status: 'The source branch is gone, or has no commits.',
  conflict: 'It conflicts with the target branch: rebase it, or merge the target branch into it.',
  discussions_not_resolved: 'Some threads are not resolved.',
  draft_status: 'It is a draft.',
  need_rebase: 'It must be rebased first.',
  not_approved: 'It has not been approved.',
  not_open: 'It is not open.',
  preparing: 'It is being prepared.',
  requested_changes: 'A reviewer has asked for changes.',
  unchecked: 'Whether it can be merged has not been looked at yet; open the page again in a moment.',
};

function mergeBox({ visit, home }: Place, request: Entity): Html {
  const status: string = request.detailed_merge_status;
  if (request.state === 'merged')
    return html`<p class="box"><span class="inner">Merged by ${person(visit, request.merge_user)} ${moment(request.merged_at)}.</span></p>`;
  if (request.state !== 'opened') return html``;
  const merge =
    request.user?.can_merge &&
    actionButton(visit, `${home}/-/merge_requests/${request.iid}/merge`, 'Merge', { sha: request.sha ?? '' });
  const inner =
    status === 'mergeable'
      ? merge || 'It can be merged by whoever may write to the target branch.'
      : (reasons[status] ?? `It cannot be merged: ${status.replaceAll('_', ' ')}.`);
  return html`<div class="box"><div class="inner">${inner}${request.merge_error && html`<p class="notice">${request.merge_error}</p>`}</div></div>`;
}

/** What stands above each of the three views of a merge request. */
function header({ visit, home }: Place, request: Entity, view: '' | '/commits' | '/diffs'): Html {
  const base = `${home}/-/merge_requests/${request.iid}`;
  const tab = (path: '' | '/commits' | '/diffs', text: string) =>
    path === view ? html`<strong>${text}</strong>` : html`<a href="${base}${path}">${text}</a>`;
  const pipeline =
    request.head_pipeline &&
    html`<a href="${home}/-/pipelines/${request.head_pipeline.id}">Pipeline ${badge(request.head_pipeline.status)}</a>`;
  return html`<div class="row"><h1>${request.title}</h1>${badge(request.state)}${request.draft && badge('draft')}</div><p class="muted">!${request.iid} · ${person(visit, request.author)} ${moment(request.created_at)} wants to merge <a href="${home}/-/tree/${inAddress(request.source_branch)}"><code>${request.source_branch}</code></a> into <a href="${home}/-/tree/${inAddress(request.target_branch)}"><code>${request.target_branch}</code></a> ${pipeline}</p><p class="row">${tab('', 'Overview')}${tab('/commits', 'Commits')}${tab('/diffs', `Changes ${request.changes_count ?? ''}`)}</p>`;
}

async function overviewPage(place: Place): Promise<Outcome> {
  const { visit, api, home, project } = place;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const request = await visit.api.get(url);
  const [text, talk] = await Promise.all([
    renderOne(visit, project.path_with_namespace, request.description ?? ''),
    discussion(place, url),
  ]);
  const other =
    request.state === 'opened'
      ? { value: 'close', text: 'Close' }
      : request.state === 'closed'
        ? { value: 'reopen', text: 'Reopen' }
        : undefined;
  const body = html`${header(place, request, '')}<div class="columns"><div>${text}${mergeBox(place, request)}${talk}${commentForm(visit, `${home}/-/merge_requests/${request.iid}/notes`, other)}</div>${sidebar(place, request)}</div>`;
  return inProject(place, { title: request.title, tab: 'merge_requests', body });
}

async function commitsPage(place: Place): Promise<Outcome> {
  const { visit, api } = place;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const [request, commits] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/commits`, { per_page: 50, page: pageOf(visit) }),
  ]);
  const body = html`${header(place, request, '/commits')}${listOr(commits.body, (commit) => html`<li>${commitLine(place, commit)}</li>`, 'No commit.')}${pager(visit, commits)}`;
  return inProject(place, { title: request.title, tab: 'merge_requests', body });
}

async function changesPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const [request, diffs] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/diffs`, { per_page: 30, page: pageOf(visit) }),
  ]);
  const body = html`${header(place, request, '/diffs')}${diffFiles(diffs.body, { home, sha: request.sha ?? request.target_branch })}${pager(visit, diffs)}`;
  return inProject(place, { title: request.title, tab: 'merge_requests', body });
}

async function comment({ visit, api, home }: Place): Promise<Outcome> {
  await say(visit, `${api}/merge_requests/${visit.params.iid}`);
  return { redirect: `${home}/-/merge_requests/${visit.params.iid}` };
}

async function merge({ visit, api, home }: Place): Promise<Outcome> {
  const { iid } = visit.params;
  // What is merged is what was looked at.
  await visit.api.send('PUT', `${api}/merge_requests/${iid}/merge`, { sha: visit.form.get('sha') });
  return { redirect: `${home}/-/merge_requests/${iid}` };
}

function newPage(place: Place, problem?: string): Outcome {
  const { visit, home, project } = place;
  const value = (name: string) => visit.form.get(name) ?? visit.query.get(`merge_request[${name}]`) ?? '';
  const field = (text: string, name: string, given: string) =>
    html`<label>${text}<input name="${name}" required value="${given}"></label>`;
  const body = html`<form class="card" method="post" action="${home}/-/merge_requests">${proof(visit)}<h1>New merge request</h1>${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}${field('From branch', 'source_branch', value('source_branch'))}${field('Into branch', 'target_branch', value('target_branch') || (project.default_branch ?? ''))}${field('Title', 'title', value('title'))}<label>Description<textarea name="description">${value('description')}</textarea></label><button class="primary">Create merge request</button></form>`;
  return inProject(place, {
    title: 'New merge request',
    tab: 'merge_requests',
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

async function create(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const names = ['source_branch', 'target_branch', 'title', 'description'];
  const sent = Object.fromEntries(names.map((name) => [name, (visit.form.get(name) ?? '').replaceAll('\r\n', '\n')]));
  const answer = await visit.api.ask('POST', `${api}/merge_requests`, sent);
  if (answer.status === 201) return { redirect: `${home}/-/merge_requests/${answer.body.iid}` };
  const refusal = refusalOf(answer);
  if ([400, 409, 422].includes(answer.status)) return newPage(place, refusal.reason);
  throw refusal;
}

export const reviewPages: readonly Page[] = [
  projectPage({ path: '/:project/-/merge_requests', show: listPage }),
  projectPage({ method: 'POST', path: '/:project/-/merge_requests', show: create }),
  projectPage({ path: '/:project/-/merge_requests/new', signedIn: true, show: (place) => newPage(place) }),
  projectPage({ path: '/:project/-/merge_requests/:iid', show: overviewPage }),
  projectPage({ path: '/:project/-/merge_requests/:iid/commits', show: commitsPage }),
  projectPage({ path: '/:project/-/merge_requests/:iid/diffs', show: changesPage }),
  projectPage({ method: 'POST', path: '/:project/-/merge_requests/:iid/notes', show: comment }),
  projectPage({ method: 'POST', path: '/:project/-/merge_requests/:iid/merge', show: merge }),
];
