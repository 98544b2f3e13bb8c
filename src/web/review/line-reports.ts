import type { Entity } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';

/** Test coverage and code quality of changed lines, from the merge request's pipeline. */
export interface LineReports {
  /** Coverage of a line. */
  reached(path: string, line: number | undefined): { readonly kind: string; readonly title: string } | undefined;
  /** Code quality findings on a line. */
  problems(path: string, line: number | undefined): Html | false;
}

const maxProblems = 100;

/** Loads the reports for files, if the pipeline ran for exactly this version. */
export async function lineReports(
  { visit, api, project }: ProjectContext,
  request: Entity,
  files: readonly Entity[],
  sha: string,
): Promise<LineReports | undefined> {
  const pipeline = request.head_pipeline;
  if (pipeline?.project_id !== project.id || pipeline.sha !== sha || files.length === 0) return undefined;
  const url = `${api}/pipelines/${pipeline.id}`;
  const paths: readonly string[] = files.map(({ new_path }) => new_path);
  const [coverage, found] = await Promise.all([
    visit.api.maybe(`${url}/coverage_report`, { paths }),
    visit.api.maybe(`${url}/code_quality`, { paths, per_page: maxProblems }),
  ]);
  const byLine = Map.groupBy<string, Entity>(found ?? [], ({ path, line }) => `${line}:${path}`);
  return {
    reached(path, line) {
      const hits = line === undefined ? undefined : coverage?.files[path]?.[line];
      if (hits === undefined) return undefined;
      return hits > 0
        ? { kind: 'reached', title: `Covered by tests ${count(hits, 'time')}` }
        : { kind: 'missed', title: 'Not covered by tests' };
    },
    problems(path, line) {
      const here = byLine.get(`${line}:${path}`) ?? [];
      if (here.length === 0) return false;
      return html`<ul class="problems">${here.map((one) => html`<li>${badge(one.severity)} ${one.description}${one.check_name && html` <code>${one.check_name}</code>`}</li>`)}</ul>`;
    },
  };
}
