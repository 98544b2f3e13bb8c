import { createGunzip } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { artifactsOfJobs, type JobArtifactRow } from '../artifacts/public.ts';
import { currentJobs } from '../jobs/public.ts';
import { pipelineOfProject } from '../pipelines/public.ts';
import { JunitReader, type TestCase } from './junit.ts';

/** Unpacked, of one report: a small file may unpack to any length. */
const mostBytes = 64 * 1024 * 1024;

interface Suite {
  readonly name: string;
  readonly jobIds: number[];
  readonly cases: TestCase[];
  error: string | null;
}

/** The suites of a pipeline: one for each job that reports, those of a parallel job together. */
async function suitesOf(services: Services, { project }: ProjectSubject, pipelineId: number): Promise<Suite[]> {
  const { read } = services.db;
  if (!(await pipelineOfProject(read, project.id, pipelineId))) throw NotFound.record();
  const jobs = await currentJobs(read, pipelineId);
  const reports = await artifactsOfJobs(
    read,
    jobs.map(({ id }) => id),
    'junit',
  );
  const suites = new Map<string, Suite>();
  for (const report of reports) {
    const job = jobs.find(({ id }) => id === report.job_id);
    if (!job) continue;
    const name = job.name.replace(/(: \[.*\]| \d+\/\d+)$/s, '');
    const suite = suites.get(name) ?? { name, jobIds: [], cases: [], error: null };
    suites.set(name, suite);
    suite.jobIds.push(job.id);
    await readInto(services, suite, report);
  }
  return [...suites.values()];
}

async function readInto({ storage }: Services, suite: Suite, report: JobArtifactRow): Promise<void> {
  const reader = new JunitReader();
  try {
    const { stream } = await storage.get(report.storage_key);
    const text = new TextDecoder();
    let size = 0;
    for await (const chunk of stream.pipe(createGunzip()) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostBytes) throw new Error('the report is too large');
      reader.write(text.decode(chunk, { stream: true }));
    }
    reader.end();
  } catch (error) {
    // What people sent cannot be read: that is what their report says.
    suite.error = `JUnit XML parsing failed: ${error instanceof Error ? error.message : error}`.slice(0, 500);
  }
  suite.cases.push(...reader.cases);
}

function countsOf(cases: readonly TestCase[]) {
  const count = (status: TestCase['status']) => cases.filter((one) => one.status === status).length;
  return {
    time: Math.round(cases.reduce((sum, { execution_time }) => sum + execution_time, 0) * 1e6) / 1e6,
    count: cases.length,
    success: count('success'),
    failed: count('failed'),
    skipped: count('skipped'),
    error: count('error'),
  };
}

function totals(cases: readonly TestCase[]) {
  const { time, count, success, failed, skipped, error } = countsOf(cases);
  return {
    total_time: time,
    total_count: count,
    success_count: success,
    failed_count: failed,
    skipped_count: skipped,
    error_count: error,
  };
}

export async function testReport(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites = await suitesOf(services, subject, pipelineId);
  return {
    ...totals(suites.flatMap(({ cases }) => cases)),
    test_suites: suites.map(({ name, cases, error }) => ({
      name,
      ...totals(cases),
      suite_error: error,
      test_cases: cases.map((one) => ({ ...one, recent_failures: null })),
    })),
  };
}

export async function testReportSummary(services: Services, subject: ProjectSubject, pipelineId: number) {
  const suites = await suitesOf(services, subject, pipelineId);
  const total = countsOf(suites.flatMap(({ cases }) => cases));
  return {
    total: { ...total, suite_error: null },
    test_suites: suites.map(({ name, cases, error, jobIds }) => ({
      name,
      ...totals(cases),
      build_ids: jobIds,
      suite_error: error,
    })),
  };
}
