import type { Entity } from '../frame/api.ts';
import { badge, duration, relativeTime } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton, userLink } from '../planning/discussion.ts';
import { graphPicture } from './graph.ts';

/** Badge for a job's status, which differs for a failure that is allowed. */
export const jobBadge = ({ status, allow_failure: mayFail }: Entity): Html =>
  status === 'failed' && mayFail ? badge('allowed_to_fail', 'failed (allowed to fail)') : badge(status);

const jobLink = (home: string, job: Entity, button: Part) =>
  html`<li class="row"><a class="main" href="${home}/-/jobs/${job.id}">${job.name}</a>${jobBadge(job)}${button}</li>`;

/**
 * Lists jobs by stage, in the order in which stages run. The job IDs do not reflect that order once jobs are retried.
 */
function stages({ visit, home }: ProjectContext, jobs: readonly Entity[], order: readonly Entity[]): Html {
  const rank = new Map(order.map(({ id, stage_index }) => [id, stage_index]));
  const position = (job: Entity) => rank.get(job.id) ?? 0;
  const byStage = Map.groupBy(
    [...jobs].sort((a, b) => position(a) - position(b) || a.id - b.id),
    ({ stage }) => stage,
  );
  const button = (job: Entity) => {
    const action = job.status === 'manual' ? 'play' : job.status === 'failed' ? 'retry' : undefined;
    return (
      visit.user &&
      action &&
      actionButton(visit, `${home}/-/jobs/${job.id}/${action}`, action === 'play' ? 'Play' : 'Retry')
    );
  };
  return html`<div class="stages">${[...byStage].map(([stage, list]) => html`<section><h2>${stage}</h2><ul class="list">${list.map((job) => jobLink(home, job, button(job)))}</ul></section>`)}</div>`;
}

const owner = 50;

const views = [
  ['', 'Jobs'],
  ['/test_report', 'Tests'],
] as const;

/** The header of all pipeline views. */
export function pipelineHead(
  { visit, home, project }: ProjectContext,
  pipeline: Entity,
  view: (typeof views)[number][0],
): Html {
  const page = `${home}/-/pipelines/${pipeline.id}`;
  const isRunning = unfinished.has(pipeline.status);
  const again =
    visit.user &&
    (isRunning ? actionButton(visit, `${page}/cancel`, 'Cancel') : actionButton(visit, `${page}/retry`, 'Retry'));
  const remove =
    !isRunning &&
    !project.archived &&
    roleInProject(visit, project) >= owner &&
    actionButton(
      visit,
      `${page}/remove`,
      'Delete',
      {},
      { confirm: 'Delete this pipeline with its jobs and artifacts?' },
    );
  const coverage = pipeline.coverage !== null && html` · coverage ${pipeline.coverage}%`;
  const links = views.map(
    ([path, text]) => html`<a href="${page}${path}"${path === view && html` aria-current="page"`}>${text}</a>`,
  );
  return html`<div class="row"><h1>${pipeline.name ?? `Pipeline ${pipeline.id}`}</h1>${badge(pipeline.status)}<span class="end row">${again}${remove}</span></div><p class="muted">${pipeline.ref} · <a class="sha" href="${home}/-/commit/${pipeline.sha}">${pipeline.sha.slice(0, 8)}</a> · ${pipeline.user && userLink(visit, pipeline.user)} ${relativeTime(pipeline.created_at)} · ${duration(pipeline.duration)}${coverage}</p>${pipeline.yaml_errors && html`<p class="notice">${pipeline.yaml_errors}</p>`}<nav class="row views" aria-label="Views">${links}</nav>`;
}

/** The live-updated parts of a pipeline's page. */
async function pipelineParts(context: ProjectContext) {
  const { visit, api, home } = context;
  const url = `${api}/pipelines/${visit.params.id}`;
  const [pipeline, jobs, bridges, needs] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/jobs`, { per_page: 100, page: pageOf(visit) }),
    visit.api.maybe(`${url}/bridges`),
    visit.api.maybe(`${url}/needs`, { per_page: 100, page: pageOf(visit) }),
  ]);
  const below = (bridges ?? []).map(
    (one: Entity) =>
      html`<li class="row">${one.name} ${jobBadge(one)}${one.downstream_pipeline && html`<a href="${new URL(one.downstream_pipeline.web_url).pathname}">Pipeline ${one.downstream_pipeline.id}</a>`}</li>`,
  );
  const graph = html`${graphPicture(needs ?? [], home)}${stages(context, jobs.body, needs ?? [])}${below.length > 0 && html`<h2>Downstream</h2><ul class="list">${below}</ul>`}`;
  return { pipeline, jobs, parts: { 'pipeline-state': pipelineHead(context, pipeline, ''), 'pipeline-jobs': graph } };
}

const unfinished: ReadonlySet<string> = new Set([
  'created',
  'pending',
  'running',
  'waiting_for_resource',
  'preparing',
  'scheduled',
]);

export async function pipelinePage(context: ProjectContext): Promise<Outcome> {
  const { pipeline, jobs, parts } = await pipelineParts(context);
  const body = html`${Object.entries(parts).map(([id, part]) => livePart(id, part))}${pager(context.visit, jobs)}`;
  return inProject(context, { title: `Pipeline ${pipeline.id}`, tab: 'pipelines', body });
}

export async function watchPipeline(context: ProjectContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => (await pipelineParts(context)).parts);
  return { projectId: context.project.id, every: 15_000, changes };
}
