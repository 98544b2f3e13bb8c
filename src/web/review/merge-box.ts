import { createHash } from 'node:crypto';
import { pickLinks } from '../code/cherry-pick.ts';
import { hiddenFields } from '../forms/card.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { actionButton, userLink } from '../planning/discussion.ts';
import { trainAddress } from './train.ts';

/** Why a merge request cannot be merged, by detailed merge status. */
const reasons: Readonly<Record<string, string>> = {
  approvals_syncing: 'Approvals are being checked.',
  checking: 'Checking whether it can be merged. Reload the page in a moment.',
  ci_must_pass: 'The pipeline must succeed.',
  ci_still_running: 'The pipeline is still running.',
  commits_status: 'The source branch does not exist or has no commits.',
  conflict: 'There are merge conflicts.',
  discussions_not_resolved: 'There are unresolved threads.',
  draft_status: 'The merge request is a draft. Mark it as ready first.',
  jira_association_missing: 'The title or description must mention a Jira issue.',
  merge_request_blocked: 'Another merge request must be merged first.',
  status_checks_must_pass: 'All external status checks must pass.',
  need_rebase: 'The source branch must be rebased.',
  not_approved: 'Approval is required.',
  not_open: 'The merge request is not open.',
  preparing: 'The merge request is being prepared.',
  requested_changes: 'A reviewer has requested changes.',
  title_regex: 'The title does not match the pattern of the project.',
  unchecked: 'The mergeability has not been checked yet. Reload the page in a moment.',
};

const waitsForPipeline = new Set(['ci_must_pass', 'ci_still_running']);

/** A merge request with its merge train entry and suggested commit messages. */
export interface Mergeable {
  readonly request: Entity;
  readonly car?: Entity | undefined;
  readonly messages?: Entity | undefined;
}

/** Whether the user could merge it now, or as soon as its pipeline succeeds. */
export const mayTryToMerge = ({ state, user, detailed_merge_status: status }: Entity): boolean =>
  state === 'opened' && user?.can_merge === true && (status === 'mergeable' || waitsForPipeline.has(status));

/** Hash that detects whether a suggested text was edited. */
export const markOf = (text: string): string => createHash('sha256').update(text.trim()).digest('base64url');

/** Whether the project uses merge trains. */
export const hasTrains = ({ project }: ProjectContext): boolean =>
  project.merge_pipelines_enabled === true && project.merge_trains_enabled === true;

function mergeButtons(context: ProjectContext, request: Entity): Html {
  const { detailed_merge_status: status, head_pipeline, target_branch: branch } = request;
  const canMerge = status === 'mergeable';
  const later = waitsForPipeline.has(status) || head_pipeline?.status === 'running';
  const byItself = (text: string, tone = '') =>
    html`<button${tone && html` class="${tone}"`} name="auto_merge" value="true">${text}</button>`;
  if (!hasTrains(context)) {
    return html`${canMerge && html`<button class="primary">Merge</button>`}${later && byItself('Merge when the pipeline succeeds')}`;
  }
  const text = later ? 'Add to the merge train when the pipeline succeeds' : 'Add to the merge train';
  return html`${byItself(text, 'primary')}${canMerge && html`<button>Merge immediately</button>`}<a href="${trainAddress(context.home, branch)}">The merge train</a>`;
}

/**
 * Fields for the commit messages; only those that the project's merge method uses. Each has a hash of its initial text:
 * an unedited message is not sent, so that it is generated at merge time.
 */
function messageFields({ project }: ProjectContext, begun: Entity): Html {
  const field = (name: string, text: string) =>
    html`${hiddenFields({ [`${name}_mark`]: markOf(begun[name]) })}<label>${text}<textarea name="${name}" rows="6">${begun[name]}</textarea></label>`;
  const merges = project.merge_method !== 'ff' && field('merge_commit_message', 'Merge commit message');
  const squashes = project.squash_option !== 'never' && field('squash_commit_message', 'Squash commit message');
  return html`<details><summary>Commit messages</summary><div class="card">${merges}${squashes}</div></details>`;
}

function mergeForm(context: ProjectContext, page: string, request: Entity, begun: Entity): Html {
  const { visit } = context;
  const tick = (name: string, text: string, on: boolean) =>
    html`<label class="tick"><input type="checkbox" name="${name}" value="true"${on && html` checked`}> ${text}</label>`;
  return html`<form method="post" action="${page}/merge">${csrfField(visit)}${hiddenFields({ sha: request.sha ?? '', choices: 'shown' })}<div class="row">${mergeButtons(context, request)}${tick('should_remove_source_branch', 'Delete the source branch', request.force_remove_source_branch === true)}${tick('squash', 'Squash commits', request.squash_on_merge === true)}</div>${messageFields(context, begun)}</form>`;
}

/** Its state on the merge train. */
function onTrain({ visit, home }: ProjectContext, page: string, { pipeline, target_branch: branch }: Entity): Html {
  const run =
    pipeline && html` Its <a href="${home}/-/pipelines/${pipeline.id}">pipeline</a> ${badge(pipeline.status)}`;
  const leave = visit.user && actionButton(visit, `${page}/cancel_merge`, 'Remove from merge train');
  return html`<p class="row"><span>It is on the <a href="${trainAddress(home, branch)}">merge train</a> of its target branch.${run}</span> ${leave}</p>`;
}

function openBox(context: ProjectContext, page: string, { request, car, messages }: Mergeable): Html {
  const { visit } = context;
  const status: string = request.detailed_merge_status;
  const explanation = reasons[status] ?? `It cannot be merged: ${status.replaceAll('_', ' ')}.`;
  // The title pattern has a description by its author.
  const description = status === 'title_regex' ? context.project.merge_request_title_regex_description : null;
  const reason = status === 'mergeable' ? undefined : description ? `${explanation} ${description}` : explanation;
  if (request.merge_when_pipeline_succeeds && car && car.merged_at === null) return onTrain(context, page, car);
  if (request.merge_when_pipeline_succeeds) {
    return html`<p>It will be merged when its pipeline succeeds. ${visit.user && actionButton(visit, `${page}/cancel_merge`, 'Cancel auto-merge')}</p>`;
  }
  const form = messages
    ? mergeForm(context, page, request, messages)
    : reason === undefined && 'It can be merged by users who may push to the target branch.';
  const way = status === 'conflict' && visit.user && html` <a href="${page}/conflicts">Resolve the conflicts</a>`;
  return html`${reason !== undefined && html`<p>${reason}${way}</p>`}${form}`;
}

function rebaseLine({ visit }: ProjectContext, page: string, request: Entity): Html | false {
  if (request.rebase_in_progress) return html`<p>A rebase is in progress. Reload the page in a moment.</p>`;
  const behind = request.diverged_commits_count ?? 0;
  if (behind === 0 && request.detailed_merge_status !== 'need_rebase') return false;
  return html`<p class="row">The source branch is ${count(behind, 'commit')} behind the target branch. ${visit.user && !request.has_conflicts && actionButton(visit, `${page}/rebase`, 'Rebase')}</p>`;
}

/** Links to cherry-pick or revert a merge request that was merged with a single commit. */
function onceMore(
  context: ProjectContext,
  { merge_commit_sha, squash_commit_sha, target_branch }: Entity,
): Html | false {
  const sha = merge_commit_sha ?? squash_commit_sha;
  return Boolean(sha) && pickLinks(context, sha, target_branch);
}

/** What blocks the merge, and the merge button. */
export function mergeBox(context: ProjectContext, mergeable: Mergeable): Html {
  const { visit, home } = context;
  const { request } = mergeable;
  const page = `${home}/-/merge_requests/${request.iid}`;
  if (request.state === 'merged')
    return html`<div class="box box-done" id="merge"><div class="inner row">Merged by ${userLink(visit, request.merge_user)} ${relativeTime(request.merged_at)}${request.merge_commit_sha && html` as <a class="sha" href="${home}/-/commit/${request.merge_commit_sha}">${request.merge_commit_sha.slice(0, 8)}</a>`}. ${onceMore(context, request)}</div></div>`;
  if (request.state !== 'opened') return html``;
  const tone = request.detailed_merge_status === 'mergeable' ? 'good' : 'wait';
  return html`<div class="box box-${tone}" id="merge"><div class="inner">${openBox(context, page, mergeable)}${rebaseLine(context, page, request)}${request.merge_error && html`<p class="notice">${request.merge_error}</p>`}</div></div>`;
}

/** External status checks, with retry buttons. */
export function statusCheckBox(
  { visit, home }: ProjectContext,
  request: Entity,
  checks: readonly Entity[],
): Html | false {
  if (checks.length === 0 || request.state !== 'opened') return false;
  const page = `${home}/-/merge_requests/${request.iid}`;
  const again = ({ id }: Entity) => actionButton(visit, `${page}/status_checks/${id}/retry`, 'Retry');
  const lines = checks.map(
    (check) =>
      html`<li class="row"><span>${check.name}</span>${badge(check.status)}<span class="end">${check.status === 'failed' && again(check)}</span></li>`,
  );
  return html`<div class="box" id="status-checks"><ul class="list" aria-label="Status checks">${lines}</ul></div>`;
}

const maxNamed = 8;

/** An approval rule: required approvals, approvals given, and eligible approvers. */
function approvalRule(visit: Visit, rule: Entity): Html {
  const approvers: readonly Entity[] = rule.approved_by;
  const named = (people: readonly Entity[]) =>
    people.slice(0, maxNamed).map((one, at) => html`${at > 0 && ', '}${userLink(visit, one)}`);
  const left = rule.eligible_approvers.filter(({ id }: Entity) => !approvers.some((one) => one.id === id));
  const more = left.length > maxNamed && ` and ${left.length - maxNamed} more`;
  const who =
    approvers.length > 0
      ? html`approved by ${named(approvers)}`
      : left.length > 0 && html`${rule.rule_type === 'any_approver' ? 'all eligible users' : named(left)}${more}`;
  const section = rule.section && rule.section !== 'codeowners' && html`<span class="muted">${rule.section}</span>`;
  const name = rule.code_owner
    ? html`<code>${rule.name}</code> <span class="muted">code owners</span>`
    : rule.rule_type === 'any_approver'
      ? 'All eligible users'
      : rule.name;
  const count = rule.approvals_required > 0 ? `${approvers.length} of ${rule.approvals_required}` : 'optional';
  return html`<li class="row"><span>${name}</span>${section}${badge(rule.approved ? 'approved' : 'pending', count)}<span class="end muted">${who}</span></li>`;
}

function approveForm(
  visit: Visit,
  action: string,
  { sha }: Entity,
  { require_password_to_approve: asks }: Entity,
): Html {
  if (!asks) return actionButton(visit, action, 'Approve', { sha: sha ?? '' });
  return html`<form class="row" method="post" action="${action}">${csrfField(visit)}${hiddenFields({ sha: sha ?? '' })}<input type="password" name="approval_password" required autocomplete="current-password" placeholder="Your password" aria-label="Your password"><button>Approve</button></form>`;
}

/** Approvals, approval rules and the approve button. */
export function approvalBox(
  { visit, home }: ProjectContext,
  request: Entity,
  approvals: Entity | undefined,
  state: Entity | undefined,
): Html | false {
  if (!approvals || request.state !== 'opened') return false;
  const rules: readonly Entity[] = state?.rules ?? [];
  const page = `${home}/-/merge_requests/${request.iid}`;
  const by: readonly Entity[] = approvals.approved_by ?? [];
  const left = approvals.approvals_left ?? 0;
  const who =
    by.length === 0
      ? 'No approvals yet.'
      : html`Approved by ${by.map(({ user }, at) => html`${at > 0 && ', '}${userLink(visit, user)}`)}.`;
  const button = approvals.user_has_approved
    ? actionButton(visit, `${page}/unapprove`, 'Revoke approval')
    : approvals.user_can_approve && approveForm(visit, `${page}/approve`, request, approvals);
  return html`<div class="box" id="approvals"><div class="inner row"><span>${who}${left > 0 && ` ${count(left, 'approval')} missing.`}</span><span class="end">${visit.user && button}</span></div>${rules.length > 0 && html`<ul class="list" aria-label="Approval rules">${rules.map((rule) => approvalRule(visit, rule))}</ul>`}</div>`;
}
