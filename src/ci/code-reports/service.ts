import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { artifactsOfJobs, type JobArtifactRow } from '../artifacts/public.ts';
import { currentJobs } from '../jobs/public.ts';
import { pipelineOfProject } from '../pipelines/public.ts';
import type { Problem } from './problems.ts';
import { coverageOf, problemsOf } from './read.ts';

const maxPaths = 100;

async function reportsOf(
  { db }: Services,
  { project }: ProjectSubject,
  pipelineId: number,
  types: readonly string[],
): Promise<JobArtifactRow[]> {
  if (!(await pipelineOfProject(db.read, project.id, pipelineId))) throw NotFound.record();
  const jobs = (await currentJobs(db.read, pipelineId)).map(({ id }) => id);
  const found = await Promise.all(types.map((type) => artifactsOfJobs(db.read, jobs, type)));
  return found.flat();
}

function requestedPaths(paths: readonly string[]): ReadonlySet<string> {
  if (paths.length > maxPaths) throw new Invalid({ paths: [`has more than ${maxPaths} entries`] });
  return new Set(paths);
}

/** Coverage of the requested files, summed over the reports of a pipeline. */
export async function coverageReport(
  services: Services,
  subject: ProjectSubject,
  pipelineId: number,
  paths: readonly string[],
) {
  const requested = requestedPaths(paths);
  const lines = new Map<string, Map<number, number>>();
  let problem: string | null = null;
  for (const report of await reportsOf(services, subject, pipelineId, ['cobertura', 'jacoco'])) {
    const { found, error } = await coverageOf(services, report, requested, subject.fullPath);
    problem = error ?? problem;
    for (const [path, hits] of found) {
      const total = lines.get(path) ?? new Map<number, number>();
      for (const [line, times] of hits) total.set(line, (total.get(line) ?? 0) + times);
      lines.set(path, total);
    }
  }
  const files = Object.fromEntries([...lines].map(([path, hits]) => [path, Object.fromEntries(hits)]));
  return { files, error: problem };
}

const severities = ['blocker', 'critical', 'major', 'minor', 'info', 'unknown'];
const rank = ({ severity }: Problem) => severities.indexOf(severity);

/** Lists the code quality violations of a pipeline, most severe first. */
export async function listProblems(
  services: Services,
  subject: ProjectSubject,
  pipelineId: number,
  paths: readonly string[] | undefined,
  { offset, perPage }: PageRequest,
) {
  const requested = paths && requestedPaths(paths);
  const problems: Problem[] = [];
  for (const report of await reportsOf(services, subject, pipelineId, ['codequality'])) {
    const { found } = await problemsOf(services, report);
    for (const one of found) if (requested?.has(one.path) ?? true) problems.push(one);
  }
  problems.sort((one, other) => rank(one) - rank(other));
  return new Page(problems.slice(offset, offset + perPage), problems.length);
}
