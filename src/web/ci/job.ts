import { drawField } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { duration, relativeTime, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { type Crumb, csrfField } from '../frame/layout.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { LiveUpdates, Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';
import { inputFields, startingInputs } from './inputs.ts';
import { followLog, logOf } from './log.ts';
import { jobBadge } from './pipeline.ts';

const unfinished: ReadonlySet<string> = new Set(['created', 'pending', 'running', 'waiting_for_resource', 'preparing']);

const developer = 30;
const maintainer = 40;

const isStartedByHand = ({ status }: Entity) => status === 'manual' || status === 'scheduled';
const isOver = (job: Entity) => !unfinished.has(job.status) && !isStartedByHand(job);

interface Shown {
  readonly job: Entity;
  /** The deployment of the job, if any. */
  readonly deployment: Entity | undefined;
  /** Why no runner has picked up the job yet, if visible to the user. */
  readonly waits: Html | undefined;
  /** Inputs that the visitor may give values for. */
  readonly inputs: readonly Entity[];
}

/** Explains why a job is pending; Maintainers see whether any runner could pick it up. */
async function waitsFor({ visit, api, home }: ProjectContext, job: Entity): Promise<Html | undefined> {
  if (job.status !== 'pending') return undefined;
  const tags: readonly string[] = job.tag_list ?? [];
  const named = tags.length > 0 && html` with the tags ${tags.join(', ')}`;
  const runnerQuery = {
    status: 'online',
    paused: false,
    per_page: 1,
    ...(tags.length > 0 && { tag_list: tags.join(',') }),
  };
  const found = await visit.api.maybe(`${api}/runners`, runnerQuery);
  if (found?.length === 0)
    return html`<p class="notice">No runner${named} is online for this job. <a href="${home}/-/settings/runners">Set one up</a>, and it starts automatically.</p>`;
  return html`<p class="muted">Waiting for a free runner${named}.</p>`;
}

/** The form that starts a manual or delayed job, with variables and inputs. */
function startForm({ visit, home }: ProjectContext, { job, inputs }: Shown): Html | false {
  if (!isStartedByHand(job)) return false;
  const why =
    job.status === 'manual' ? 'This is a manual job.' : 'This is a delayed job, which can also be started manually.';
  if (!visit.user) return html`<p class="muted">${why}</p>`;
  return html`<form class="card" method="post" action="${home}/-/jobs/${job.id}/play">${csrfField(visit)}<p>${why}</p>${drawInputs(inputs)}<details><summary>With variables</summary><label><span>Variables</span><span class="hint">One per line, as NAME=value; for this run only</span><textarea name="variables" rows="4" spellcheck="false"></textarea></label></details><div class="row"><button class="primary">Play</button></div></form>`;
}

function drawInputs(inputs: readonly Entity[]): Html[] {
  const values = startingInputs(inputs);
  return inputFields(inputs).map((field) => drawField(field, values[field.name]));
}

/** The form that retries a job with other values of its inputs. */
function retryForm({ visit, home }: ProjectContext, { job, inputs }: Shown): Html | false {
  if (!isOver(job) || job.archived || inputs.length === 0) return false;
  return html`<details class="card"><summary>Retry with other values</summary><form method="post" action="${home}/-/jobs/${job.id}/retry">${csrfField(visit)}${drawInputs(inputs)}<div class="row"><button class="primary">Run job again</button></div></form></details>`;
}

/** Whether there is a log or artifacts that the visitor may erase. */
function mayErase({ visit, project }: ProjectContext, job: Entity): boolean {
  if (!isOver(job) || job.erased_at !== null || job.artifacts.length === 0 || project.archived) return false;
  const role = roleInProject(visit, project);
  return role >= maintainer || (role >= developer && job.user?.id === visit.user?.id);
}

/** The part of the page above the log. */
function head(context: ProjectContext, shown: Shown): Html {
  const { job, deployment, waits } = shown;
  const { visit, api, home } = context;
  const act = (name: string, text: string) => actionButton(visit, `${home}/-/jobs/${job.id}/${name}`, text);
  const buttons =
    visit.user &&
    !job.archived &&
    (isStartedByHand(job) ? undefined : unfinished.has(job.status) ? act('cancel', 'Cancel') : act('retry', 'Retry'));
  const erase =
    mayErase(context, job) &&
    actionButton(visit, `${home}/-/jobs/${job.id}/erase`, 'Erase', {}, { confirm: 'Erase the log and the artifacts?' });
  const erased =
    job.erased_at !== null &&
    html`<p class="notice calm">Its log and artifacts were erased ${relativeTime(job.erased_at)}.</p>`;
  const files =
    job.artifacts_file &&
    html`<a href="${home}/-/jobs/${job.id}/artifacts/browse">Browse artifacts</a><a href="${visit.base}/api/v4${api}/jobs/${job.id}/artifacts">Download artifacts (${size(job.artifacts_file.size)})</a>`;
  const place =
    deployment &&
    html`<p>${deployment.status === 'success' ? 'Deployed to' : 'Deploys to'} <a href="${home}/-/environments/${deployment.environment.id}">${deployment.environment.name}</a>.</p>`;
  const coverage = job.coverage !== null && html`<span>coverage ${job.coverage}%</span>`;
  return html`<div class="row"><h1>${job.name}</h1>${jobBadge(job)}<span class="end row">${buttons}${erase}</span></div><p class="muted row"><a href="${home}/-/pipelines/${job.pipeline?.id}">Pipeline ${job.pipeline?.id}</a><span>${job.stage} · ${job.ref} · ${relativeTime(job.created_at)}${job.duration !== null && ` · ${duration(job.duration)}`}</span>${job.runner?.description && html`<span>on ${job.runner.description}</span>`}${coverage}${files}</p>${place}${erased}${waits}${startForm(context, shown)}${failure(job)}${retryForm(context, shown)}`;
}

/** Explains the failure, and its effect on the pipeline. */
function failure({ status, failure_reason: reason, allow_failure: mayFail }: Entity): Html | false {
  if (status !== 'failed') return false;
  const explanation = reason ? `${reason[0].toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}.` : 'The job failed.';
  return mayFail
    ? html`<p class="notice calm">${explanation} This job is allowed to fail, so the pipeline continues.</p>`
    : html`<p class="notice">${explanation}</p>`;
}

/** A job's breadcrumb is its pipeline. */
export const crumbOfPipeline = ({ home }: ProjectContext, { pipeline }: Entity): Crumb => ({
  text: `Pipeline ${pipeline.id}`,
  href: `${home}/-/pipelines/${pipeline.id}`,
});

const jobOf = ({ visit, api }: ProjectContext): Promise<Entity> => visit.api.get(`${api}/jobs/${visit.params.id}`);

async function deploymentOf({ visit, api }: ProjectContext): Promise<Entity | undefined> {
  return (await visit.api.maybe(`${api}/deployments`, { job_id: visit.params.id, per_page: 1 }))?.[0];
}

async function inputsOf({ visit, api }: ProjectContext): Promise<readonly Entity[]> {
  return (visit.user && (await visit.api.maybe(`${api}/jobs/${visit.params.id}/inputs`))) || [];
}

async function shownOf(context: ProjectContext): Promise<Shown> {
  const [job, deployment, inputs] = await Promise.all([jobOf(context), deploymentOf(context), inputsOf(context)]);
  return { job, deployment, inputs, waits: await waitsFor(context, job) };
}

export async function jobPage(context: ProjectContext): Promise<Outcome> {
  const shown = await shownOf(context);
  const { job } = shown;
  const body = html`${livePart('job-state', head(context, shown))}${await logOf(context, job.id, { isOver: isOver(job), waits: unfinished.has(job.status) })}`;
  return inProject(context, { title: job.name, tab: 'pipelines', within: [crumbOfPipeline(context, job)], body });
}

/** Streams the log as it is written, and the job's state when it changes. */
export async function watchJob(context: ProjectContext): Promise<LiveUpdates> {
  let shown = await shownOf(context);
  const states = changedParts(async () => ({ 'job-state': head(context, shown) }));
  const more = await followLog(context, shown.job.id);
  return {
    projectId: context.project.id,
    every: 1_000,
    async changes() {
      const job = await jobOf(context);
      // Deployment and waiting reason change only with the status.
      if (job.status === shown.job.status) shown = { ...shown, job };
      else shown = { ...shown, job, deployment: await deploymentOf(context), waits: await waitsFor(context, job) };
      const { messages } = await states();
      const log = await more(isOver(job));
      return { messages: [...messages, ...log.messages], cursor: log.cursor, over: isOver(job) && log.isWhole };
    },
  };
}
