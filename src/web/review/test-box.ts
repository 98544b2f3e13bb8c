import { caseAddress } from '../ci/test-report.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';

interface Failure {
  readonly suite_name: string;
  readonly classname: string;
  readonly name: string;
}

/**
 * Sorts failed tests: those that pass on the target branch first. Without a report of the target branch, none counts as
 * new.
 */
export function newFirst<T extends Failure>(
  failures: readonly T[],
  there: readonly Failure[] | undefined,
): { readonly failure: T; readonly isNew: boolean }[] {
  const keyOf = ({ suite_name, classname, name }: Failure) => JSON.stringify([suite_name, classname, name]);
  const known = there && new Set(there.map(keyOf));
  return failures
    .map((failure) => ({ failure, isNew: known !== undefined && !known.has(keyOf(failure)) }))
    .sort((a, b) => Number(b.isNew) - Number(a.isNew));
}

const maxNamed = 5;

/** Returns the failed tests of the target branch; undefined without a report. */
async function failuresThere({ visit, api }: ProjectContext, branch: string): Promise<readonly Failure[] | undefined> {
  const latest = await visit.api.maybe(`${api}/pipelines/latest`, { ref: branch });
  if (!latest) return undefined;
  const url = `${api}/pipelines/${latest.id}`;
  const [summary, failures] = await Promise.all([
    visit.api.maybe(`${url}/test_report_summary`),
    visit.api.maybe(`${url}/test_failures`),
  ]);
  return summary?.total.count > 0 ? failures : undefined;
}

/** Test results of a merge request. */
export async function testBox(context: ProjectContext, request: Entity): Promise<Html | false> {
  const { visit, api, home, project } = context;
  const pipeline = request.head_pipeline;
  if (request.state !== 'opened' || pipeline?.project_id !== project.id) return false;
  const url = `${api}/pipelines/${pipeline.id}`;
  const summary = await visit.api.maybe(`${url}/test_report_summary`);
  if (!summary || summary.test_suites.length === 0) return false;
  const { success, failed, error, skipped } = summary.total;
  const isFailing = failed + error > 0;
  const [failures, there] = isFailing
    ? await Promise.all([visit.api.maybe(`${url}/test_failures`), failuresThere(context, request.target_branch)])
    : [];
  const sorted = newFirst<Entity>(failures ?? [], there);
  const fresh = sorted.filter(({ isNew }) => isNew).length;
  const words = [
    `${success} passed`,
    isFailing && `${failed + error} failed${fresh > 0 ? `, ${fresh} of them not on the target branch` : ''}`,
    skipped > 0 && `${skipped} skipped`,
  ].filter((text) => text !== false);
  const line = ({ failure, isNew }: (typeof sorted)[number]) =>
    html`<li class="row"><a href="${caseAddress(context, pipeline.id, failure)}">${failure.name}</a>${isNew && badge('failed', 'new')}<span class="end muted">${failure.suite_name}</span></li>`;
  const more =
    sorted.length > maxNamed && html`<li class="muted">And ${count(failed + error - maxNamed, 'other')}.</li>`;
  const list =
    isFailing && html`<ul class="list" aria-label="Failed tests">${sorted.slice(0, maxNamed).map(line)}${more}</ul>`;
  return html`<div class="box" id="tests"><div class="inner row">${badge(isFailing ? 'failed' : 'success', 'Tests')}<span>${words.join(', ')}.</span><span class="end"><a href="${home}/-/pipelines/${pipeline.id}/test_report">All tests</a></span></div>${list}</div>`;
}
