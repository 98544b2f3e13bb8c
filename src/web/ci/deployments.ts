import { submit } from '../forms/card.ts';
import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count, relativeTime } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton, userLink } from '../planning/discussion.ts';

/** The action that a deployment's button runs on its job. */
export interface DeploymentAction {
  readonly job: number;
  readonly action: 'play' | 'retry';
  readonly text: string;
}

const redone: ReadonlySet<string> = new Set(['success', 'failed', 'canceled']);

/**
 * Returns the action of each deployment by ID, newest first. A retried job has the button on its newest attempt only.
 */
export function actionsFor(
  deployments: readonly Entity[],
  current: number | undefined,
): ReadonlyMap<number, DeploymentAction> {
  const attempts = new Set<string>();
  const actions = new Map<number, DeploymentAction>();
  for (const { id, status, deployable } of deployments) {
    if (!deployable) continue;
    const attempt = `${deployable.pipeline.id} ${deployable.name}`;
    const isRetried = attempts.has(attempt);
    attempts.add(attempt);
    if (isRetried || status === 'blocked') continue;
    const job = deployable.id;
    if (deployable.status === 'manual') actions.set(id, { job, action: 'play', text: 'Deploy' });
    else if (redone.has(deployable.status)) {
      const text = status !== 'success' ? 'Try again' : id === current ? 'Deploy again' : 'Roll back to this';
      actions.set(id, { job, action: 'retry', text });
    }
  }
  return actions;
}

/** Filters deployments to those whose job the user may run; jobs on protected refs are restricted. */
export async function runnable(
  { visit, api, project }: ProjectContext,
  deployments: readonly Entity[],
): Promise<readonly Entity[]> {
  if (roleInProject(visit, project) >= 40) return deployments;
  const kindOf = ({ deployable }: Entity) => (deployable?.tag ? 'tags' : 'branches');
  const refs = Map.groupBy(deployments, (one) => `${kindOf(one)}/${encodeURIComponent(one.ref)}`);
  const free = await Promise.all(
    [...refs].map(async ([address, list]) => {
      const ref = await visit.api.maybe(`${api}/repository/${address}`);
      return ref?.protected && !ref.can_push && !ref.developers_can_merge ? [] : list;
    }),
  );
  const ids = new Set(free.flat().map(({ id }) => id));
  return deployments.filter(({ id }) => ids.has(id));
}

/** Links to the file tree of a ref or commit. */
const refLink = ({ home }: ProjectContext, ref: string) =>
  html`<a href="${home}/-/tree/${encodePath(ref)}"><code>${ref}</code></a>`;

const commitLink = ({ home }: ProjectContext, sha: string) =>
  html`<a class="sha" href="${home}/-/commit/${sha}">${sha.slice(0, 8)}</a>`;

/** Describes a deployment in one line: what was deployed, by whom and when. */
export function deploymentWords(context: ProjectContext, one: Entity): Html {
  const { visit, home } = context;
  const job = one.deployable && html` · <a href="${home}/-/jobs/${one.deployable.id}">${one.deployable.name}</a>`;
  return html`${refLink(context, one.ref)} ${commitLink(context, one.sha)} ${one.deployable?.commit?.title}${job} · ${userLink(visit, one.user)} ${relativeTime(one.created_at)}`;
}

const approvalItem = (context: ProjectContext, { user, status, comment, created_at: at }: Entity) =>
  html`<li class="row">${badge(status)}${userLink(context.visit, user)}${comment && html`<span>${comment}</span>`}<span class="end">${relativeTime(at)}</span></li>`;

/** The approvals of a deployment that needs them, and the form for users who have not reviewed it yet. */
function approvals(context: ProjectContext, environmentId: number, one: Entity): Html {
  const { visit, home } = context;
  const form =
    one.user_can_approve &&
    html`<form method="post" action="${home}/-/environments/${environmentId}/deployments/${one.id}/approval">${csrfField(visit)}<label>Comment<input name="comment" maxlength="255" autocomplete="off"></label><p class="row"><button class="primary" name="status" value="approved">Approve</button><button class="danger" name="status" value="rejected">Reject</button></p></form>`;
  return html`<p>Waiting for ${count(one.pending_approval_count, 'approval')}.</p>${one.approvals.length > 0 && html`<ul class="said" aria-label="What was said">${one.approvals.map((each: Entity) => approvalItem(context, each))}</ul>`}${form}`;
}

/** A deployment in the list of its environment. */
export function deploymentItem(
  context: ProjectContext,
  environmentId: number,
  one: Entity,
  action: DeploymentAction | undefined,
): Html {
  const { visit, home } = context;
  const button = action && actionButton(visit, `${home}/-/jobs/${action.job}/${action.action}`, action.text);
  const waits: Part = one.pending_approval_count > 0 && approvals(context, environmentId, one);
  return html`<li><div class="row"><div class="grow"><p class="row"><strong>#${one.iid}</strong>${badge(one.status)}</p><p class="muted">${deploymentWords(context, one)}</p>${waits}</div><span class="end">${button}</span></div></li>`;
}

/** Approves or rejects a deployment; API errors are shown on the environment's page. */
export async function reviewDeployment(
  { visit, api, home }: ProjectContext,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { id, deployment = '' } = visit.params;
  return submit(visit, {
    method: 'POST',
    path: `${api}/deployments/${encodeURIComponent(deployment)}/approval`,
    sent: { status: visit.form.get('status'), comment: visit.form.get('comment') },
    to: `${home}/-/environments/${id}`,
    again,
  });
}

/** Lists where a commit is deployed: its newest deployment to each environment. */
export function deployedTo({ home }: ProjectContext, deployments: readonly Entity[]): Html | false {
  const newest = [...Map.groupBy(deployments, ({ environment }) => environment.id).values()].flatMap(
    ([first]) => first ?? [],
  );
  if (newest.length === 0) return false;
  const line = ({ environment, status, updated_at: at }: Entity) =>
    html`<li class="row"><span>${status === 'success' ? 'Deployed to' : 'Deployment to'} <a href="${home}/-/environments/${environment.id}">${environment.name}</a></span>${status === 'success' ? openLink(environment) : badge(status)}<span class="end">${relativeTime(at)}</span></li>`;
  return html`<div class="box" id="deployments"><ul class="list" aria-label="Deployments">${newest.map(line)}</ul></div>`;
}

/** A link to the environment, if its URL has a scheme that browsers open. */
export const openLink = ({ external_url: address }: Entity): Html | false =>
  typeof address === 'string' &&
  /^https?:\/\//i.test(address) &&
  html`<a class="button" href="${address}" rel="noopener noreferrer nofollow" data-turbo="false">Open</a>`;
