import type { Services } from '../../access/services.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { dotenvOf } from '../artifacts/public.ts';
import { durationSeconds, expandKnown, type PlannedEnvironment } from '../config/public.ts';
import { type CiJobRow, jobById, plannedJob } from '../jobs/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { requiresApproval } from './protection/rights.ts';
import { nameProblem, slugOf, tierNamed, tierOf, urlProblem } from './rules.ts';
import * as store from './store.ts';
import type { DeploymentRow, DeploymentStatus, EnvironmentRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'environments.deployed': { jobId: number };
    'environments.accessed': { jobId: number };
  }
}

const statusOfJob: Readonly<Record<string, DeploymentStatus>> = {
  manual: 'blocked',
  waiting_for_resource: 'created',
  pending: 'created',
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
};
/** Actions that deploy nothing, but may postpone the automatic stop. */
const accessing: ReadonlySet<string> = new Set(['prepare', 'access', 'verify']);
const finishedStatuses: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Updates environments and deployments when the status of a job changes. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  const planned = job.kind === 'build' ? plannedJob(job).environment : null;
  if (planned === null || nameProblem(planned.name) !== undefined) return;
  const environment = await environmentFor(trx, job, planned);
  if (planned.action === 'start') await followDeployment(services, trx, job, planned, environment);
  if (accessing.has(planned.action) && job.status === 'success') {
    await services.queue.enqueue(trx, 'environments.accessed', { jobId: job.id });
  }
  if (planned.action === 'stop' && job.status === 'success') {
    const change = { state: 'stopped' as const, auto_stop_at: null, updated_at: Date.now() };
    await store.updateEnvironment(trx, environment.id, change);
  }
  if (planned.action === 'stop' && environment.state === 'stopping' && ['failed', 'canceled'].includes(job.status)) {
    await store.updateEnvironment(trx, environment.id, { state: 'available', updated_at: Date.now() });
  }
}

function environmentFor(trx: Writer, job: CiJobRow, planned: PlannedEnvironment): Promise<EnvironmentRow> {
  const now = Date.now();
  return store.ensureEnvironment(trx, {
    project_id: job.project_id,
    name: planned.name,
    slug: slugOf(planned.name),
    external_url: null,
    tier: tierNamed(planned.deploymentTier) ?? tierOf(planned.name),
    state: 'available',
    description: null,
    auto_stop_setting: 'always',
    auto_stop_at: null,
    kubernetes_namespace: null,
    flux_resource_path: null,
    created_at: now,
    updated_at: now,
  });
}

async function followDeployment(
  services: Services,
  trx: Writer,
  job: CiJobRow,
  planned: PlannedEnvironment,
  environment: EnvironmentRow,
): Promise<void> {
  const status = statusOfJob[job.status];
  if (status === undefined) return;
  const existing = await store.deploymentOfJob(trx, job.id);
  // A job that ended before it was pending has deployed nothing.
  if (!existing && finishedStatuses.has(status)) return;
  if (existing?.status === status) return;
  if (status === 'blocked' && (existing || !(await requiresApproval(trx, job.project_id, environment)))) return;
  const now = Date.now();
  const finished_at = finishedStatuses.has(status) ? now : null;
  const deployment: DeploymentRow = existing
    ? await store.updateDeployment(trx, existing.id, { status, finished_at, updated_at: now, user_id: job.user_id })
    : await store.insertDeployment(trx, {
        project_id: job.project_id,
        environment_id: environment.id,
        ref: job.ref,
        tag: job.tag,
        sha: job.sha,
        status,
        user_id: job.user_id,
        job_id: job.id,
        on_stop: planned.onStop,
        created_at: now,
        updated_at: now,
        finished_at,
      });
  await services.announce(trx, 'deployment.changed', { deployment, environment, before: existing?.status ?? null });
  if (status === 'success') await services.queue.enqueue(trx, 'environments.deployed', { jobId: job.id });
}

/** Defines the jobs that update an environment after a job in it. Its URL may use variables of the deployment job. */
export function deploymentJobs(services: Services): void {
  services.queue.defineJob('environments.deployed', (job) => updateDeployedEnvironment(services, job.payload.jobId));
  services.queue.defineJob('environments.accessed', (job) => postponeStop(services, job.payload.jobId));
}

async function updateDeployedEnvironment(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const job = await jobById(db.read, jobId);
  const planned = job && plannedJob(job).environment;
  const environment = planned && (await store.environmentByName(db.read, job.project_id, planned.name));
  if (!job || !planned || !environment) return;
  const expand = await expansionOf(services, job);
  const address = planned.url === null ? undefined : expand(planned.url);
  const now = Date.now();
  await db.write((trx) =>
    store.updateEnvironment(trx, environment.id, {
      state: 'available',
      ...(address !== undefined && urlProblem(address) === undefined ? { external_url: address } : {}),
      ...(planned.deploymentTier === null ? {} : { tier: tierNamed(planned.deploymentTier) ?? environment.tier }),
      ...autoStop(planned, expand, now),
      updated_at: now,
    }),
  );
}

/** Expands variables in a text; a URL known only after the deployment is passed as a dotenv variable of the job. */
async function expansionOf(services: Services, job: CiJobRow): Promise<(text: string) => string> {
  const { db } = services;
  const reported = await dotenvOf(db.read, services.encryption, [job.id]);
  const variables = [...(await variablesOfJob(services, db.read, job)), ...reported];
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  return (text) => expandKnown(text, (name) => values.get(name));
}

function autoStop({ autoStopIn }: PlannedEnvironment, expand: (text: string) => string, now: number) {
  if (autoStopIn === null) return {};
  const seconds = durationSeconds(expand(autoStopIn));
  return { auto_stop_at: seconds === null ? null : now + seconds * 1000 };
}

/**
 * Resets the time of the automatic stop after a job that used the environment: to that of the job or, unless it only
 * verified the environment, of the last successful deployment.
 */
async function postponeStop(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const job = await jobById(db.read, jobId);
  const planned = job && plannedJob(job).environment;
  const environment = planned && (await store.environmentByName(db.read, job.project_id, planned.name));
  if (!job || !planned || !environment) return;
  const source =
    planned.autoStopIn !== null ? job : planned.action !== 'verify' && (await lastDeployJob(db.read, environment));
  const lifetime = source && plannedJob(source).environment;
  if (!source || !lifetime || lifetime.autoStopIn === null) return;
  const now = Date.now();
  const change = { ...autoStop(lifetime, await expansionOf(services, source), now), updated_at: now };
  await db.write((trx) => store.updateEnvironment(trx, environment.id, change));
}

async function lastDeployJob(db: Reader, { id }: EnvironmentRow): Promise<CiJobRow | undefined> {
  const deployment = await store.lastDeployment(db, id);
  return deployment?.job_id ? jobById(db, deployment.job_id) : undefined;
}

/** Predefined variables of a job's environment. */
export async function environmentVariables(_services: Services, db: Reader, job: CiJobRow) {
  const planned = job.kind === 'build' ? plannedJob(job).environment : null;
  const environment = planned && (await store.environmentByName(db, job.project_id, planned.name));
  if (!environment) return [];
  return [
    { key: 'CI_ENVIRONMENT_ID', value: `${environment.id}` },
    { key: 'CI_ENVIRONMENT_SLUG', value: environment.slug },
    { key: 'CI_ENVIRONMENT_TIER', value: environment.tier },
  ];
}
