import type { Entity } from '../frame/api.ts';
import { badge, duration, listOr, moment } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Watched } from '../frame/visit.ts';
import { inProject, missing, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { actionButton, person } from '../planning/discussion.ts';
import { artifactPages } from './artifacts.ts';
import { environmentPages } from './environments.ts';
import { graphPicture } from './graph.ts';
import { imagePages } from './images.ts';
import { jobPage, watchJob } from './job.ts';
import { packagePages } from './packages.ts';
import { runPages } from './run.ts';
import { schedulePages } from './schedules.ts';

async function pipelinesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { query } = visit;
  const answer = await visit.api.page(`${api}/pipelines`, {
    per_page: 20,
    page: pageOf(visit),
    ref: query.get('ref'),
    status: query.get('status'),
  });
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${home}/-/pipelines/${one.id}"><strong>#${one.id}</strong></a>${badge(one.status)}<span>${one.ref}</span><a class="sha" href="${home}/-/commit/${one.sha}">${one.sha.slice(0, 8)}</a><span class="end muted">${one.source} · ${moment(one.created_at)}</span></li>`;
  const body = html`${sectionTitle('Pipelines', visit.user ? html`<a class="button primary" href="${home}/-/pipelines/new">Run pipeline</a>` : undefined)}${listOr(answer.body, item, html`No pipeline yet. They run when the repository has a <code>.gitlab-ci.yml</code>.`)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Pipelines', tab: 'pipelines', body });
}

const jobLink = (home: string, job: Entity, button: Part = undefined) =>
  html`<li class="row"><a class="main" href="${home}/-/jobs/${job.id}">${job.name}</a>${badge(job.status)}${button}</li>`;

/** The jobs by stage, in the order in which the stages run, which the numbers of jobs that were retried do not tell. */
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

/** What a pipeline shows that changes while it runs. */
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
      html`<li class="row">${one.name} ${badge(one.status)}${one.downstream_pipeline && html`<a href="${new URL(one.downstream_pipeline.web_url).pathname}">Pipeline ${one.downstream_pipeline.id}</a>`}</li>`,
  );
  const isRunning = unfinished.has(pipeline.status);
  const again =
    visit.user &&
    (isRunning
      ? actionButton(visit, `${home}/-/pipelines/${pipeline.id}/cancel`, 'Cancel')
      : actionButton(visit, `${home}/-/pipelines/${pipeline.id}/retry`, 'Retry'));
  const head = html`<div class="row"><h1>${pipeline.name ?? `Pipeline ${pipeline.id}`}</h1>${badge(pipeline.status)}<span class="end">${again}</span></div><p class="muted">${pipeline.ref} · <a class="sha" href="${home}/-/commit/${pipeline.sha}">${pipeline.sha.slice(0, 8)}</a> · ${pipeline.user && person(visit, pipeline.user)} ${moment(pipeline.created_at)} · ${duration(pipeline.duration)}</p>${pipeline.yaml_errors && html`<p class="notice">${pipeline.yaml_errors}</p>`}`;
  const graph = html`${graphPicture(needs ?? [], home)}${stages(context, jobs.body, needs ?? [])}${below.length > 0 && html`<h2>Downstream</h2><ul class="list">${below}</ul>`}`;
  return { pipeline, jobs, parts: { 'pipeline-state': head, 'pipeline-jobs': graph } };
}

const unfinished: ReadonlySet<string> = new Set([
  'created',
  'pending',
  'running',
  'waiting_for_resource',
  'preparing',
  'scheduled',
]);

async function pipelinePage(context: ProjectContext): Promise<Outcome> {
  const { pipeline, jobs, parts } = await pipelineParts(context);
  const body = html`${Object.entries(parts).map(([id, part]) => livePart(id, part))}${pager(context.visit, jobs)}`;
  return inProject(context, { title: `Pipeline ${pipeline.id}`, tab: 'pipelines', body });
}

async function watchPipeline(context: ProjectContext): Promise<Watched> {
  const changes = changedParts(async () => (await pipelineParts(context)).parts);
  return { projectId: context.project.id, every: 15_000, changes };
}

const actions: Readonly<Record<string, readonly string[]>> = {
  jobs: ['retry', 'cancel', 'play'],
  pipelines: ['retry', 'cancel'],
};

const act = (what: 'jobs' | 'pipelines') => async (context: ProjectContext) => {
  const { visit, api, home } = context;
  const { id = '', action = '' } = visit.params;
  if (!actions[what]?.includes(action)) throw missing();
  const answer = await visit.api.send('POST', `${api}/${what}/${id}/${action}`);
  return { redirect: `${home}/-/${what}/${answer.id ?? id}` };
};

async function jobsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const answer = await visit.api.page(`${api}/jobs`, { per_page: 30, page: pageOf(visit) });
  const body = html`<h1>Jobs</h1>${listOr(answer.body, (job) => jobLink(home, job), 'No job yet.')}${pager(visit, answer)}`;
  return inProject(context, { title: 'Jobs', tab: 'pipelines', body });
}

export const ciPages: readonly Page[] = [
  ...runPages,
  ...schedulePages,
  ...artifactPages,
  ...imagePages,
  ...packagePages,
  ...environmentPages,
  projectPage({ path: '/:project/-/pipelines', show: pipelinesPage }),
  projectPage({ path: '/:project/-/pipelines/:id', show: pipelinePage, watch: watchPipeline }),
  projectPage({ method: 'POST', path: '/:project/-/pipelines/:id/:action', show: act('pipelines') }),
  projectPage({ path: '/:project/-/jobs', show: jobsPage }),
  projectPage({ path: '/:project/-/jobs/:id', show: jobPage, watch: watchJob }),
  projectPage({ method: 'POST', path: '/:project/-/jobs/:id/:action', show: act('jobs') }),
];
