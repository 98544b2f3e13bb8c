import type { Entity } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';

/** What the pipeline of a merge request says of lines of its changes. */
export interface LineReports {
  /** Whether the tests have reached a line. */
  reached(path: string, line: number | undefined): { readonly kind: string; readonly title: string } | undefined;
  /** What linters have found at it. */
  problems(path: string, line: number | undefined): Html | false;
}

const maxProblems = 100;

/** Asks for what is known of these files, where the pipeline has run for just these changes. */
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
        ? { kind: 'reached', title: `Reached by tests ${count(hits, 'time')}` }
        : { kind: 'missed', title: 'Reached by no test' };
    },
    problems(path, line) {
      const here = byLine.get(`${line}:${path}`) ?? [];
      if (here.length === 0) return false;
      return html`<ul class="problems">${here.map((one) => html`<li>${badge(one.severity)} ${one.description}${one.check_name && html` <code>${one.check_name}</code>`}</li>`)}</ul>`;
    },
  };
}
