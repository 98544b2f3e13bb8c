import { once } from 'node:events';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { repositoryHealth } from '../../platform/git/upkeep/health.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { enforceRateLimit } from '../repository/public.ts';
import { presentHealth } from './present.ts';
import type { RepositoryHealthEntity } from './schema.ts';
import { findReport, saveReport } from './store.ts';
import { readReport } from './stored-report.ts';
import type { RepositoryHealthRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'repositories.health': { projectId: number };
  }
}

const channel = 'repository-health';
const rateLimitMessage = 'Repository health has been requested too many times. Try again later.';
/** How long a request waits for a new report before it returns the previous one. */
const maxWait = 10_000;

/** Returns the last health report, or generates a new one. Throws 404 if there is none. */
export async function getHealth(
  services: Services,
  { project }: ProjectSubject,
  generate: boolean,
  signal: AbortSignal,
): Promise<RepositoryHealthEntity> {
  const row = generate ? await newReport(services, project.id, signal) : await findReport(services.db.read, project.id);
  if (!row) throw new NotFound();
  return presentHealth(readReport(row.report), row.updated_at);
}

async function newReport(
  services: Services,
  projectId: number,
  signal: AbortSignal,
): Promise<RepositoryHealthRow | undefined> {
  const { db, queue, config } = services;
  await enforceRateLimit(services, 'repository_health', `${projectId}`, config.healthRate, rateLimitMessage);
  const before = await findReport(db.read, projectId);
  await db.write((trx) => queue.enqueue(trx, 'repositories.health', { projectId }, { dedupeKey: `${projectId}` }));
  return nextReport(services, projectId, before?.updated_at, signal);
}

/** Waits for a report newer than a given time; returns the old one on timeout. */
async function nextReport(
  { db, signals }: Services,
  projectId: number,
  last: number | undefined,
  signal: AbortSignal,
): Promise<RepositoryHealthRow | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxWait)]);
  for (;;) {
    const updated = new AbortController();
    const unsubscribe = signals.on(channel, () => updated.abort());
    try {
      const row = await findReport(db.read, projectId);
      if (row?.updated_at !== last || deadline.aborted) return row;
      const woken = AbortSignal.any([deadline, updated.signal]);
      if (!woken.aborted) await once(woken, 'abort');
    } finally {
      unsubscribe();
    }
  }
}

/** Generates and stores a report. */
async function report({ db, git, signals }: Services, projectId: number, signal: AbortSignal): Promise<void> {
  const repo = git.repository(projectId);
  if (!(await repositoryExists(repo))) return;
  const health = await repositoryHealth(repo, { signal });
  const row = { project_id: projectId, report: JSON.stringify(health), updated_at: Date.now() };
  await db.write((trx) => saveReport(trx, row));
  signals.notify(channel, `${projectId}`);
}

export function healthJobs(services: Services): void {
  services.queue.defineJob(
    'repositories.health',
    ({ payload, signal }) => report(services, payload.projectId, signal),
    { concurrency: 1, maxAttempts: 3 },
  );
}
