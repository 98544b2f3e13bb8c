import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { renderOne } from '../frame/markdown.ts';
import { pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext, sectionTitle } from '../namespaces/project.ts';
import { comment } from './comment.ts';
import { actionButton, commentOrLock, descriptionComment, userLink } from './discussion.ts';
import { filterBar, listQuery } from './filters.ts';
import { noteablePaths } from './kind.ts';
import { metricImages } from './metric-images.ts';
import { reactions } from './reactions.ts';
import { related } from './related.ts';
import { sidebar } from './sidebar.ts';
import { tasksOf } from './tasks.ts';
import { discussion } from './threads.ts';
import { workItem } from './work-item.ts';

export async function issuesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/issues`, listQuery(visit));
  const byMail = await mailAddress(context);
  const add = visit.user ? html`<a class="button primary" href="${home}/-/issues/new">New issue</a>` : undefined;
  const body = html`${sectionTitle('Issues', add)}${filterBar(visit, ['opened', 'closed', 'all'])}${listOr(answer.body, (issue) => workItem(visit, issue), visit.query.size > 0 ? html`No issue fits. <a href="${home}/-/issues">Show all open</a>` : html`No issue is open. An issue holds an idea, a task or a mistake; <a href="${home}/-/issues/new">create one</a>.`)}${pager(visit, answer)}${byMail}`;
  return inProject(context, { title: 'Issues', tab: 'issues', body });
}

/** The user's address for creating issues by e-mail, if incoming mail is enabled and they may create issues. */
async function mailAddress({ visit, api }: ProjectContext): Promise<Html | undefined> {
  if (!visit.user || visit.services.config.incomingMailAddress === undefined) return undefined;
  const found = await visit.api.maybe(`${api}/new_issue_address`);
  return (
    found &&
    html`<details><summary>Email a new issue to this project</summary><p>Mail to <a href="mailto:${found.address}">${found.address}</a> creates an issue with the subject as title and the text as description. Keep the address secret; <a href="${visit.base}/-/user_settings/incoming_mail">reset it</a> if someone else may have seen it.</p></details>`
  );
}

/** The live-updated parts of an issue's page. */
async function liveParts(context: ProjectContext) {
  const { visit, project } = context;
  const { url, page } = noteablePaths(context, 'issues');
  const [issue, talk, awards] = await Promise.all([
    visit.api.get(url),
    discussion(visit, { url, page, place: project.path_with_namespace, reactions: url }),
    reactions(visit, url, page),
  ]);
  return { issue, parts: { 'issue-head': issueHead(context, issue), 'issue-reactions': awards, 'issue-talk': talk } };
}

export async function watchIssue(context: ProjectContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => (await liveParts(context)).parts);
  return { projectId: context.project.id, every: 15_000, changes };
}

function issueHead({ visit, home }: ProjectContext, issue: Entity): Html {
  const page = `${home}/-/issues/${issue.iid}`;
  const watch = issue.subscribed ? 'unsubscribe' : 'subscribe';
  const buttons =
    visit.user &&
    html`<span class="end row"><a class="button" href="${page}/edit">Edit</a>${actionButton(visit, `${page}/${watch}`, issue.subscribed ? 'Unsubscribe' : 'Subscribe')}${actionButton(visit, `${page}/todo`, 'Add to-do')}</span>`;
  return html`<div class="row"><h1>${issue.title}</h1>${badge(issue.state)}${issue.issue_type !== 'issue' && badge(issue.issue_type)}${issue.confidential && badge('confidential')}${issue.discussion_locked && badge('locked')}${buttons}</div><p class="muted">#${issue.iid} · ${userLink(visit, issue.author)} ${relativeTime(issue.created_at)}</p>`;
}

export async function issuePage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, home, project } = context;
  const { issue, parts } = await liveParts(context);
  const [text, side, pictures, others] = await Promise.all([
    renderOne(visit, project.path_with_namespace, issue.description ?? ''),
    sidebar(context, 'issues', issue, problem),
    metricImages(context, issue, problem),
    related(context, issue, problem),
  ]);
  const open = issue.state === 'opened';
  const form = commentOrLock(
    context,
    issue,
    `${home}/-/issues/${issue.iid}/notes`,
    open ? { value: 'close', text: 'Close' } : { value: 'reopen', text: 'Reopen' },
  );
  const body = html`${livePart('issue-head', parts['issue-head'])}<div class="columns"><div>${descriptionComment(visit, issue, text, tasksOf(context, 'issues', issue))}${livePart('issue-reactions', parts['issue-reactions'])}${pictures}${others}${livePart('issue-talk', parts['issue-talk'])}${form}</div>${side}</div>`;
  return inProject(context, { title: issue.title, tab: 'issues', body, ...(problem !== undefined && { status: 422 }) });
}

export const commentOnIssue = (context: ProjectContext): Promise<Outcome> =>
  comment(context.visit, noteablePaths(context, 'issues'));
