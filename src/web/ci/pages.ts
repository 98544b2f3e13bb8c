import type { Entity } from '../frame/api.ts';
import { badge, duration, listOr, moment, size } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, missing, type Place, projectPage } from '../places/project.ts';
import { actionButton, person } from '../planning/discussion.ts';
import { drawLog } from './ansi.ts';

async function pipelinesPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const { query } = visit;
  const answer = await visit.api.page(`${api}/pipelines`, {
    per_page: 20,
    page: pageOf(visit),
    ref: query.get('ref'),
    status: query.get('status'),
  });
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${home}/-/pipelines/${one.id}"><strong>#${one.id}</strong></a>${badge(one.status)}<span>${one.ref}</span><a class="sha" href="${home}/-/commit/${one.sha}">${one.sha.slice(0, 8)}</a><span class="end muted">${one.source} · ${moment(one.created_at)}</span></li>`;
  const body = html`<h1>Pipelines</h1>${listOr(answer.body, item, html`No pipeline yet. They run when the repository has a <code>.gitlab-ci.yml</code>.`)}${pager(visit, answer)}`;
  return inProject(place, { title: 'Pipelines', tab: 'pipelines', body });
}

const jobLink = (home: string, job: Entity) =>
  html`<li class="row"><a class="main" href="${home}/-/jobs/${job.id}">${job.name}</a>${badge(job.status)}</li>`;

/** The jobs by stage, in the order in which the stages run. */
function stages(home: string, jobs: readonly Entity[]): Html {
  const byStage = new Map<string, Entity[]>();
  for (const job of [...jobs].sort((a, b) => a.id - b.id))
    byStage.set(job.stage, [...(byStage.get(job.stage) ?? []), job]);
  return html`<div class="stages">${[...byStage].map(([stage, list]) => html`<section><h2>${stage}</h2><ul class="list">${list.map((job) => jobLink(home, job))}</ul></section>`)}</div>`;
}

async function pipelinePage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const url = `${api}/pipelines/${visit.params.id}`;
  const [pipeline, jobs, bridges] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/jobs`, { per_page: 100, page: pageOf(visit) }),
    visit.api.maybe(`${url}/bridges`),
  ]);
  const below = (bridges ?? []).map(
    (one: Entity) =>
      html`<li class="row">${one.name} ${badge(one.status)}${one.downstream_pipeline && html`<a href="${new URL(one.downstream_pipeline.web_url).pathname}">Pipeline ${one.downstream_pipeline.id}</a>`}</li>`,
  );
  const running = ['created', 'pending', 'running', 'waiting_for_resource', 'preparing', 'scheduled'].includes(
    pipeline.status,
  );
  const again =
    visit.user &&
    (running
      ? actionButton(visit, `${home}/-/pipelines/${pipeline.id}/cancel`, 'Cancel')
      : actionButton(visit, `${home}/-/pipelines/${pipeline.id}/retry`, 'Retry'));
  const body = html`<div class="row"><h1>${pipeline.name ?? `Pipeline ${pipeline.id}`}</h1>${badge(pipeline.status)}<span class="end">${again}</span></div><p class="muted">${pipeline.ref} · <a class="sha" href="${home}/-/commit/${pipeline.sha}">${pipeline.sha.slice(0, 8)}</a> · ${pipeline.user && person(visit, pipeline.user)} ${moment(pipeline.created_at)} · ${duration(pipeline.duration)}</p>${pipeline.yaml_errors && html`<p class="notice">${pipeline.yaml_errors}</p>`}${stages(home, jobs.body)}${below.length > 0 && html`<h2>Downstream</h2><ul class="list">${below}</ul>`}${pager(visit, jobs)}`;
  return inProject(place, { title: `Pipeline ${pipeline.id}`, tab: 'pipelines', body });
}

const mostLog = 1_000_000;

async function logOf({ visit, project }: Place, url: string): Promise<Html> {
  const raw = `${visit.base}/api/v4/projects/${project.id}${url.slice(url.indexOf('/jobs/'))}/trace`;
  const head = await visit.api.ask('HEAD', `${url}/trace`);
  const length = Number(head.headers['content-length'] ?? 0);
  if (head.status !== 200 || length === 0) return html`<p class="empty">There is no log yet.</p>`;
  if (length > mostLog)
    return html`<p class="empty">The log is too long to be shown (${size(length)}). <a href="${raw}">Open it raw</a>.</p>`;
  const { bytes } = await visit.api.page(`${url}/trace`);
  return html`<p><a href="${raw}">Raw log</a></p><div class="log">${trusted(drawLog(bytes.toString('utf8')))}</div>`;
}

async function jobPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const url = `${api}/jobs/${visit.params.id}`;
  const [job, log] = await Promise.all([visit.api.get(url), logOf(place, url)]);
  const act = (name: string, text: string) => actionButton(visit, `${home}/-/jobs/${job.id}/${name}`, text);
  const running = ['created', 'pending', 'running', 'waiting_for_resource', 'preparing'].includes(job.status);
  const buttons =
    visit.user &&
    (job.status === 'manual' || job.status === 'scheduled'
      ? act('play', 'Play')
      : running
        ? act('cancel', 'Cancel')
        : act('retry', 'Retry'));
  const files =
    job.artifacts_file &&
    html`<a href="${visit.base}/api/v4${url}/artifacts">Artifacts (${size(job.artifacts_file.size)})</a>`;
  const body = html`<div class="row"><h1>${job.name}</h1>${badge(job.status)}<span class="end">${buttons}</span></div><p class="muted row"><a href="${home}/-/pipelines/${job.pipeline?.id}">Pipeline ${job.pipeline?.id}</a><span>${job.stage} · ${job.ref} · ${moment(job.created_at)} · ${duration(job.duration)}</span>${job.runner && html`<span>on ${job.runner.description}</span>`}${files}</p>${job.failure_reason && html`<p class="notice">${job.failure_reason.replaceAll('_', ' ')}</p>`}${log}`;
  return inProject(place, { title: job.name, tab: 'pipelines', body });
}

const actions: Readonly<Record<string, readonly string[]>> = {
  jobs: ['retry', 'cancel', 'play'],
  pipelines: ['retry', 'cancel'],
};

const act = (what: 'jobs' | 'pipelines') => async (place: Place) => {
  const { visit, api, home } = place;
  const { id = '', action = '' } = visit.params;
  if (!actions[what]?.includes(action)) throw missing();
  const answer = await visit.api.send('POST', `${api}/${what}/${id}/${action}`);
  return { redirect: `${home}/-/${what}/${answer.id ?? id}` };
};

async function jobsPage(place: Place): Promise<Outcome> {
  const { visit, api, home } = place;
  const answer = await visit.api.page(`${api}/jobs`, { per_page: 30, page: pageOf(visit) });
  const body = html`<h1>Jobs</h1>${listOr(answer.body, (job) => jobLink(home, job), 'No job yet.')}${pager(visit, answer)}`;
  return inProject(place, { title: 'Jobs', tab: 'pipelines', body });
}

export const ciPages: readonly Page[] = [
  projectPage({ path: '/:project/-/pipelines', show: pipelinesPage }),
  projectPage({ path: '/:project/-/pipelines/:id', show: pipelinePage }),
  projectPage({ method: 'POST', path: '/:project/-/pipelines/:id/:action', show: act('pipelines') }),
  projectPage({ path: '/:project/-/jobs', show: jobsPage }),
  projectPage({ path: '/:project/-/jobs/:id', show: jobPage }),
  projectPage({ method: 'POST', path: '/:project/-/jobs/:id/:action', show: act('jobs') }),
];
