import type { Entity } from '../frame/api.ts';
import { badge, count, duration, listOr, tiles } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { viewLinks } from '../planning/filters.ts';
import { pipelineHead } from './pipeline.ts';

const tab = 'pipelines';
const statuses = ['failed', 'error', 'skipped', 'success'] as const;
/** Longer output is truncated in the list; the whole output is on the page of the test case. */
const longestShown = 2_000;
const maxSuites = 100;

const addressOf = (home: string, pipeline: string | number | undefined) =>
  `${home}/-/pipelines/${pipeline}/test_report`;

/** URL of a test case. */
export function caseAddress(
  { home }: Pick<ProjectContext, 'home'>,
  pipeline: string | number | undefined,
  { suite_name: suite, position }: Entity,
): string {
  return `${addressOf(home, pipeline)}/case?${new URLSearchParams({ suite, position: String(position) })}`;
}

const seconds = (time: number) => (time < 1 ? `${Math.round(time * 1000)} ms` : duration(time));

const placeOf = ({ suite_name: suite, classname, file }: Entity) =>
  [suite, classname, file].filter((text) => text !== null && text !== '').join(' · ');

function caseItem(context: ProjectContext, one: Entity): Html {
  const systemOutput: string = one.system_output ?? '';
  const address = caseAddress(context, context.visit.params.id, one);
  const rest = systemOutput.length > longestShown && html`<p><a href="${address}">Full output</a></p>`;
  const output =
    systemOutput !== '' &&
    html`<details><summary>Output</summary><pre class="box"><code class="inner">${systemOutput.slice(0, longestShown).toWellFormed()}</code></pre>${rest}</details>`;
  return html`<li><div class="row"><a class="main" href="${address}"><strong>${one.name}</strong></a>${badge(one.status)}<span class="end muted">${seconds(one.execution_time)}</span></div><p class="muted">${placeOf(one)}</p>${output}</li>`;
}

function suiteItem({ visit }: ProjectContext, suite: Entity): Html {
  const failed = suite.failed_count + suite.error_count;
  const href = withQuery(visit, { suite: suite.name, page: undefined });
  return html`<li><div class="row"><a class="main" href="${href}"><strong>${suite.name}</strong></a>${failed > 0 && badge('failed', `${failed} failed`)}<span class="end muted">${count(suite.total_count, 'test')} · ${seconds(suite.total_time)}</span></div>${suite.suite_error && html`<p class="notice">${suite.suite_error}</p>`}</li>`;
}

/** Totals of all suites, and the list of suites unless one is selected. */
function overview(context: ProjectContext, { total, test_suites: suites }: Entity): Html {
  const figures = [
    { text: 'tests', number: total.count },
    { text: 'failed', number: total.failed + total.error },
    { text: 'skipped', number: total.skipped },
    { text: 'time', number: seconds(total.time) },
  ];
  const more = suites.length > maxSuites && html`<p class="muted">And ${suites.length - maxSuites} more.</p>`;
  const list = html`<h2>Suites</h2><ul class="list">${suites.slice(0, maxSuites).map((suite: Entity) => suiteItem(context, suite))}</ul>${more}`;
  return html`${tiles(figures)}${!context.visit.query.get('suite') && list}`;
}

const empty = html`No test report. A job sends one as an artifact, in the form of JUnit: <code>artifacts: {reports: {junit: report.xml}}</code>`;

/** The live-updated parts: the pipeline and its test results. */
async function reportParts(context: ProjectContext) {
  const { visit, api, home } = context;
  const url = `${api}/pipelines/${visit.params.id}`;
  const suite = visit.query.get('suite') || undefined;
  const status = statuses.find((one) => one === visit.query.get('status'));
  const query = { suite, status, per_page: 20, page: pageOf(visit) };
  const [pipeline, summary, cases] = await Promise.all([
    visit.api.get(url),
    visit.api.get(`${url}/test_report_summary`),
    visit.api.page(`${url}/test_cases`, query),
  ]);
  const links = ['all', ...statuses].map(
    (one) => [one, withQuery(visit, { status: one === 'all' ? undefined : one, page: undefined })] as const,
  );
  const all = suite !== undefined && html` <a href="${addressOf(home, pipeline.id)}">Show all suites</a>`;
  const list = listOr(cases.body, (one) => caseItem(context, one), html`No test fits.${all}`);
  const chosen = html`<h2>${suite ?? 'Tests'}</h2>${viewLinks(links, status ?? 'all')}${list}${pager(visit, cases)}`;
  const report =
    summary.test_suites.length === 0
      ? html`<p class="empty">${empty}</p>`
      : html`${overview(context, summary)}${suite !== undefined && html`<p>${all}</p>`}${chosen}`;
  const parts = { 'pipeline-state': pipelineHead(context, pipeline, '/test_report'), 'test-report': report };
  return { pipeline, parts };
}

async function reportPage(context: ProjectContext): Promise<Outcome> {
  const { home } = context;
  const { pipeline, parts } = await reportParts(context);
  return inProject(context, {
    title: `Tests of pipeline ${pipeline.id}`,
    crumb: 'Tests',
    tab,
    within: [{ text: `Pipeline ${pipeline.id}`, href: `${home}/-/pipelines/${pipeline.id}` }],
    body: html`${Object.entries(parts).map(([id, part]) => livePart(id, part))}`,
  });
}

async function watchReport(context: ProjectContext): Promise<LiveUpdates> {
  const changes = changedParts(async () => (await reportParts(context)).parts);
  return { projectId: context.project.id, every: 15_000, changes };
}

async function casePage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const [suite, position] = [visit.query.get('suite'), visit.query.get('position')];
  if (!suite || !/^\d{1,9}$/.test(position ?? '')) throw pageNotFound();
  const { id } = visit.params;
  const [one] = await visit.api.get(`${api}/pipelines/${id}/test_cases`, { suite, position });
  if (!one) throw pageNotFound();
  const output = one.system_output
    ? html`<h2>Output</h2><pre class="box"><code class="inner">${one.system_output}</code></pre>`
    : html`<p class="empty">No output.</p>`;
  const body = html`<div class="row"><h1>${one.name}</h1>${badge(one.status)}</div><p class="muted">${placeOf(one)} · ${seconds(one.execution_time)}</p>${output}`;
  return inProject(context, {
    title: one.name,
    tab,
    within: [
      { text: `Pipeline ${id}`, href: `${home}/-/pipelines/${id}` },
      { text: 'Tests', href: addressOf(home, id) },
    ],
    body,
  });
}

export const testReportPages: readonly Page[] = [
  projectPage({ path: '/:project/-/pipelines/:id/test_report', show: reportPage, watch: watchReport }),
  projectPage({ path: '/:project/-/pipelines/:id/test_report/case', show: casePage }),
];
