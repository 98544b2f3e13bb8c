import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { artifactsOfJobs, type JobArtifactRow } from '../artifacts/public.ts';
import { currentJobs } from '../jobs/public.ts';
import { pipelineOfProject } from '../pipelines/public.ts';
import { countsOf, presentCounts, sumCounts, worstFirst } from './counts.ts';
import type { TestCase } from './junit.ts';
import { type Digest, readDigest, readReport } from './read.ts';

interface Suite {
  readonly name: string;
  readonly reports: JobArtifactRow[];
}

/** Returns the test suites of a pipeline: one per reporting job, with the parts of a parallel job combined. */
async function suitesOf(services: Services, { project }: ProjectSubject, pipelineId: number): Promise<Suite[]> {
  const { read } = services.db;
  if (!(await pipelineOfProject(read, project.id, pipelineId))) throw NotFound.record();
  const jobs = await currentJobs(read, pipelineId);
  const reports = await artifactsOfJobs(
    read,
    jobs.map(({ id }) => id),
    'junit',
  );
  const nameById = new Map(jobs.map(({ id, name }) => [id, name.replace(/(: \[.*\]| \d+\/\d+)$/s, '')]));
  const byName = Map.groupBy(reports, ({ job_id }) => nameById.get(job_id) ?? '');
  return [...byName].map(([name, ofSuite]) => ({ name, reports: ofSuite }));
}

interface ReadSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
  readonly error: string | null;
}

/** Reads reports one at a time, because each can be large. */
async function readSuite(services: Services, { name, reports }: Suite): Promise<ReadSuite> {
  const cases: TestCase[] = [];
  let error: string | null = null;
  for (const report of reports) {
    const found = await readReport(services, report);
    for (const one of found.cases) cases.push(one);
    error = found.error ?? error;
  }
  return { name, cases, error };
}

async function readSuites(services: Services, suites: readonly Suite[]): Promise<ReadSuite[]> {
  const read: ReadSuite[] = [];
  for (const suite of suites) read.push(await readSuite(services, suite));
  return read;
}

export async function testReport(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites = await readSuites(services, await suitesOf(services, subject, pipelineId));
  const counts = suites.map(({ cases }) => countsOf(cases));
  return {
    ...presentCounts(sumCounts(counts)),
    test_suites: suites.map(({ name, cases, error }) => ({
      name,
      ...presentCounts(countsOf(cases)),
      suite_error: error,
      test_cases: cases.map((one) => ({ ...one, recent_failures: null })),
    })),
  };
}

interface DigestedSuite extends Suite {
  readonly digests: readonly Digest[];
}

async function digestedSuites(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites: DigestedSuite[] = [];
  for (const suite of await suitesOf(services, subject, pipelineId)) {
    const digests: Digest[] = [];
    for (const report of suite.reports) digests.push(await readDigest(services, report));
    suites.push({ ...suite, digests });
  }
  return suites;
}

export async function testReportSummary(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites = await digestedSuites(services, subject, pipelineId);
  const total = sumCounts(suites.flatMap(({ digests }) => digests.map(({ counts }) => counts)));
  return {
    total: { ...total, suite_error: null },
    test_suites: suites.map(({ name, reports, digests }) => ({
      name,
      ...presentCounts(sumCounts(digests.map(({ counts }) => counts))),
      build_ids: reports.map(({ job_id }) => job_id),
      suite_error: digests.findLast(({ error }) => error !== null)?.error ?? null,
    })),
  };
}

/** Returns the failed tests of a pipeline, at most 100 per report. */
export async function testFailures(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites = await digestedSuites(services, subject, pipelineId);
  return suites.flatMap(({ name, digests }) => {
    let before = 0;
    return digests.flatMap(({ counts, failures }) => {
      const found = failures.map((one) => ({ ...one, suite_name: name, position: before + one.position }));
      before += counts.count;
      return found;
    });
  });
}

interface CaseFilter {
  readonly suite?: string;
  readonly status?: TestCase['status'];
  readonly position?: number;
}

/** Lists the tests of a pipeline page by page, failed tests first. */
export async function listTestCases(
  services: Services,
  subject: ProjectSubject,
  pipelineId: number,
  { suite, status, position }: CaseFilter,
  { offset, perPage }: PageRequest,
) {
  const asked = (await suitesOf(services, subject, pipelineId)).filter(({ name }) => (suite ?? name) === name);
  const cases = (await readSuites(services, asked)).flatMap((read) =>
    read.cases.map((one, at) => ({ ...one, suite_name: read.name, position: at + 1 })),
  );
  const found = cases.filter(
    (one) => (status ?? one.status) === one.status && (position ?? one.position) === one.position,
  );
  const page = worstFirst(found).slice(offset, offset + perPage);
  return new Page(
    page.map((one) => ({ ...one, recent_failures: null })),
    found.length,
  );
}
