import { drawField, type Field } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { badge, duration, listOr, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { artifactPages } from './artifacts.ts';
import { dependencyProxyPages } from './dependency-proxy.ts';
import { editorPages } from './editor.ts';
import { environmentPages } from './environments.ts';
import { featureFlagPages } from './feature-flags.ts';
import { imagePages } from './images.ts';
import { changedInputs } from './inputs.ts';
import { jobPage, watchJob } from './job.ts';
import { packagePages } from './packages.ts';
import { jobBadge, pipelinePage, watchPipeline } from './pipeline.ts';
import { readVariables, runPages } from './run.ts';
import { schedulePages } from './schedules.ts';
import { secureFilePages } from './secure-files.ts';
import { terraformPages } from './terraform.ts';
import { testReportPages } from './test-report.ts';

const anyStatus: readonly (readonly [value: string, text: string])[] = [
  ['', 'any'],
  ...['running', 'pending', 'success', 'failed', 'canceled', 'skipped', 'manual', 'scheduled', 'created'].map(
    (status) => [status, status] as const,
  ),
];

const filters: readonly Field[] = [
  { name: 'status', label: 'Status', kind: 'select', options: anyStatus },
  { name: 'ref', label: 'Branch or tag' },
  { name: 'username', label: 'Triggered by' },
];

const jobFilters = filters.filter(({ name }) => name !== 'username');

/** The values of filters, and the form to change them. */
function filtersOf({ visit }: ProjectContext, fields: readonly Field[]) {
  const chosen = Object.fromEntries(fields.map(({ name }) => [name, visit.query.get(name) || undefined]));
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  const form = html`<form class="filters" action="${visit.base}${visit.path}">${fields.map((field) => drawField(field, chosen[field.name]))}<button>Filter</button></form>`;
  return { chosen, isFiltered, form };
}

async function pipelinesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { chosen, isFiltered, form } = filtersOf(context, filters);
  const answer = await visit.api.page(`${api}/pipelines`, { per_page: 20, page: pageOf(visit), ...chosen });
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${home}/-/pipelines/${one.id}"><strong>#${one.id}</strong></a>${badge(one.status)}<span>${one.ref}</span><a class="sha" href="${home}/-/commit/${one.sha}">${one.sha.slice(0, 8)}</a><span class="end muted">${one.source} · ${relativeTime(one.created_at)}</span></li>`;
  const none = isFiltered
    ? 'No matching pipelines.'
    : html`No pipeline yet. They run when the repository has a <code>.gitlab-ci.yml</code>${roleInProject(visit, context.project) >= 30 && html`: <a href="${home}/-/ci/editor">write one</a>`}.`;
  const body = html`${sectionTitle('Pipelines', visit.user ? html`<a class="button primary" href="${home}/-/pipelines/new">Run pipeline</a>` : undefined)}${(isFiltered || answer.body.length > 0) && form}${listOr(answer.body, item, none)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Pipelines', tab: 'pipelines', body });
}

const actions: Readonly<Record<string, readonly string[]>> = {
  jobs: ['retry', 'cancel', 'play', 'erase'],
  pipelines: ['retry', 'cancel'],
};

/** The variables and inputs given on the page of a job. */
async function valuesFor({ visit }: ProjectContext, job: string, action: string): Promise<JsonBody> {
  if (action === 'cancel' || action === 'erase') return {};
  const variables = action === 'play' ? readVariables(visit.form.get('variables') ?? '') : [];
  const inputs = changedInputs((await visit.api.maybe(`${job}/inputs`)) ?? [], visit.form);
  return {
    ...(variables.length > 0 && { job_variables_attributes: variables }),
    ...(Object.keys(inputs).length > 0 && { [action === 'play' ? 'job_inputs' : 'inputs']: inputs }),
  };
}

const act = (what: 'jobs' | 'pipelines') => async (context: ProjectContext) => {
  const { visit, api, home } = context;
  const { id = '', action = '' } = visit.params;
  if (!actions[what]?.includes(action)) throw pageNotFound();
  const sent = what === 'jobs' ? await valuesFor(context, `${api}/jobs/${id}`, action) : {};
  const answer = await visit.api.send('POST', `${api}/${what}/${id}/${action}`, sent);
  return { redirect: `${home}/-/${what}/${answer.id ?? id}` };
};

async function removePipeline({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/pipelines/${visit.params.id}`);
  return { redirect: `${home}/-/pipelines`, notice: `Pipeline ${visit.params.id} has been deleted.` };
}

async function jobsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { chosen, isFiltered, form } = filtersOf(context, jobFilters);
  const { status: scope, ref } = chosen;
  const answer = await visit.api.page(`${api}/jobs`, { per_page: 30, page: pageOf(visit), scope, ref });
  const item = (job: Entity) =>
    html`<li class="row"><a class="main" href="${home}/-/jobs/${job.id}">${job.name}</a>${jobBadge(job)}<span class="muted">${job.stage} · ${job.ref}</span><a class="sha" href="${home}/-/commit/${job.commit?.id}">${job.commit?.short_id}</a><span class="end muted"><a href="${home}/-/pipelines/${job.pipeline?.id}">Pipeline ${job.pipeline?.id}</a>${job.duration !== null && ` · ${duration(job.duration)}`} · ${relativeTime(job.finished_at ?? job.started_at ?? job.created_at)}</span></li>`;
  const empty = isFiltered
    ? 'No matching jobs.'
    : html`No job yet. Jobs are what the <a href="${home}/-/pipelines">pipelines</a> of a project consist of.`;
  const body = html`<h1>Jobs</h1>${(isFiltered || answer.body.length > 0) && form}${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Jobs', tab: 'pipelines', body });
}

export const ciPages: readonly Page[] = [
  ...runPages,
  ...schedulePages,
  ...artifactPages,
  ...imagePages,
  ...dependencyProxyPages,
  ...packagePages,
  ...environmentPages,
  ...editorPages,
  ...featureFlagPages,
  ...terraformPages,
  ...secureFilePages,
  ...testReportPages,
  projectPage({ path: '/:project/-/pipelines', show: pipelinesPage }),
  projectPage({ path: '/:project/-/pipelines/:id', show: pipelinePage, watch: watchPipeline }),
  projectPage({ method: 'POST', path: '/:project/-/pipelines/:id/remove', show: removePipeline }),
  projectPage({ method: 'POST', path: '/:project/-/pipelines/:id/:action', show: act('pipelines') }),
  projectPage({ path: '/:project/-/jobs', show: jobsPage }),
  projectPage({ path: '/:project/-/jobs/:id', show: jobPage, watch: watchJob }),
  projectPage({ method: 'POST', path: '/:project/-/jobs/:id/:action', show: act('jobs') }),
];
