import type { Entity } from '../frame/api.ts';
import { badge, duration, moment, size } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { Crumb } from '../frame/layout.ts';
import { changedParts, livePart } from '../frame/live.ts';
import type { Outcome, Watched } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { followLog, logOf } from './log.ts';

const unfinished: ReadonlySet<string> = new Set(['created', 'pending', 'running', 'waiting_for_resource', 'preparing']);

const isOver = (job: Entity) => !unfinished.has(job.status) && job.status !== 'manual' && job.status !== 'scheduled';

interface Shown {
  readonly job: Entity;
  /** What it deploys, if it does. */
  readonly deployment: Entity | undefined;
  /** Why no runner has taken it yet, as far as the reader may know. */
  readonly waits: Html | undefined;
}

/** What a job that waits is waiting for; those who look after the project learn whether anything could take it. */
async function waitsFor({ visit, api, home }: ProjectContext, job: Entity): Promise<Html | undefined> {
  if (job.status !== 'pending') return undefined;
  const tags: readonly string[] = job.tag_list ?? [];
  const named = tags.length > 0 && html` with the tags ${tags.join(', ')}`;
  const asked = { status: 'online', paused: false, per_page: 1, ...(tags.length > 0 && { tag_list: tags.join(',') }) };
  const found = await visit.api.maybe(`${api}/runners`, asked);
  if (found?.length === 0)
    return html`<p class="notice">No runner${named} is online that could take this job. <a href="${home}/-/settings/runners">Set one up</a>, and it begins by itself.</p>`;
  return html`<p class="muted">It waits for a runner${named} that has time.</p>`;
}

/** What stands above the log. */
function head({ visit, api, home }: ProjectContext, { job, deployment, waits }: Shown): Html {
  const act = (name: string, text: string) => actionButton(visit, `${home}/-/jobs/${job.id}/${name}`, text);
  const buttons =
    visit.user &&
    (job.status === 'manual' || job.status === 'scheduled'
      ? act('play', 'Play')
      : unfinished.has(job.status)
        ? act('cancel', 'Cancel')
        : act('retry', 'Retry'));
  const files =
    job.artifacts_file &&
    html`<a href="${home}/-/jobs/${job.id}/artifacts/browse">Browse artifacts</a><a href="${visit.base}/api/v4${api}/jobs/${job.id}/artifacts">Download them (${size(job.artifacts_file.size)})</a>`;
  const place =
    deployment &&
    html`<p>${deployment.status === 'success' ? 'Deployed to' : 'Deploys to'} <a href="${home}/-/environments/${deployment.environment.id}">${deployment.environment.name}</a>.</p>`;
  const coverage = job.coverage !== null && html`<span>coverage ${job.coverage}%</span>`;
  return html`<div class="row"><h1>${job.name}</h1>${badge(job.status)}<span class="end">${buttons}</span></div><p class="muted row"><a href="${home}/-/pipelines/${job.pipeline?.id}">Pipeline ${job.pipeline?.id}</a><span>${job.stage} · ${job.ref} · ${moment(job.created_at)} · ${duration(job.duration)}</span>${job.runner?.description && html`<span>on ${job.runner.description}</span>`}${coverage}${files}</p>${place}${waits}${job.failure_reason && html`<p class="notice">${job.failure_reason.replaceAll('_', ' ')}</p>`}`;
}

/** A job stands below its pipeline. */
export const crumbOfPipeline = ({ home }: ProjectContext, { pipeline }: Entity): Crumb => ({
  text: `Pipeline ${pipeline.id}`,
  href: `${home}/-/pipelines/${pipeline.id}`,
});

const jobOf = ({ visit, api }: ProjectContext): Promise<Entity> => visit.api.get(`${api}/jobs/${visit.params.id}`);

async function deploymentOf({ visit, api }: ProjectContext): Promise<Entity | undefined> {
  return (await visit.api.maybe(`${api}/deployments`, { job_id: visit.params.id, per_page: 1 }))?.[0];
}

async function shownOf(context: ProjectContext): Promise<Shown> {
  const [job, deployment] = await Promise.all([jobOf(context), deploymentOf(context)]);
  return { job, deployment, waits: await waitsFor(context, job) };
}

export async function jobPage(context: ProjectContext): Promise<Outcome> {
  const shown = await shownOf(context);
  const { job } = shown;
  const body = html`${livePart('job-state', head(context, shown))}${await logOf(context, job.id, isOver(job))}`;
  return inProject(context, { title: job.name, tab: 'pipelines', within: [crumbOfPipeline(context, job)], body });
}

/** The log moves as it is written; the state when somebody changes it. */
export async function watchJob(context: ProjectContext): Promise<Watched> {
  let shown = await shownOf(context);
  const states = changedParts(async () => ({ 'job-state': head(context, shown) }));
  const more = await followLog(context, shown.job.id);
  return {
    projectId: context.project.id,
    every: 1_000,
    async changes() {
      const job = await jobOf(context);
      // What it deploys or waits for changes with its state alone.
      if (job.status === shown.job.status) shown = { ...shown, job };
      else shown = { job, deployment: await deploymentOf(context), waits: await waitsFor(context, job) };
      const { messages } = await states();
      const log = await more(isOver(job));
      return { messages: [...messages, ...log.messages], cursor: log.cursor, over: isOver(job) && log.isWhole };
    },
  };
}
