import type { Services } from '../../access/services.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { dotenvOf } from '../artifacts/public.ts';
import { durationSeconds, expandKnown, type PlannedEnvironment } from '../config/public.ts';
import { type CiJobRow, jobById, plannedJob } from '../jobs/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { asksApproval } from './protection/rights.ts';
import { addressProblem, nameProblem, slugOf, tierNamed, tierOf } from './rules.ts';
import * as store from './store.ts';
import type { DeploymentRow, DeploymentStatus, EnvironmentRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'environments.deployed': { jobId: number };
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
const over: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Keeps environments and deployments in step with the jobs that have one. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  const planned = job.kind === 'build' ? plannedJob(job).environment : null;
  if (planned === null || nameProblem(planned.name) !== undefined) return;
  const environment = await environmentFor(trx, job, planned);
  if (planned.action === 'start') await followDeployment(services, trx, job, planned, environment);
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
  const known = await store.deploymentOfJob(trx, job.id);
  // A job that never got as far as to wait for a runner has deployed nothing.
  if (!known && over.has(status)) return;
  if (known?.status === status) return;
  if (status === 'blocked' && (known || !(await asksApproval(trx, job.project_id, environment)))) return;
  const now = Date.now();
  const finished_at = over.has(status) ? now : null;
  const deployment: DeploymentRow = known
    ? await store.updateDeployment(trx, known.id, { status, finished_at, updated_at: now, user_id: job.user_id })
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
  await services.announce(trx, 'deployment.changed', { deployment, environment, before: known?.status ?? null });
  if (status === 'success') await services.queue.enqueue(trx, 'environments.deployed', { jobId: job.id });
}

/** Says how an environment is brought up to date with what was deployed: addresses may hold variables of the job. */
export function deploymentJobs(services: Services): void {
  services.queue.defineJob('environments.deployed', (job) => deployed(services, job.payload.jobId));
}

async function deployed(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const job = await jobById(db.read, jobId);
  const planned = job && plannedJob(job).environment;
  const environment = planned && (await store.environmentByName(db.read, job.project_id, planned.name));
  if (!job || !planned || !environment) return;
  // An address that only the deployment itself can tell comes as a variable that its job has reported.
  const reported = await dotenvOf(db.read, services.encryption, [job.id]);
  const known = [...(await variablesOfJob(services, db.read, job)), ...reported];
  const values = new Map(known.map(({ key, value }) => [key, value]));
  const expand = (text: string) => expandKnown(text, (name) => values.get(name));
  const address = planned.url === null ? undefined : expand(planned.url);
  const seconds = planned.autoStopIn === null ? null : durationSeconds(expand(planned.autoStopIn));
  const now = Date.now();
  await db.write((trx) =>
    store.updateEnvironment(trx, environment.id, {
      state: 'available',
      ...(address !== undefined && addressProblem(address) === undefined ? { external_url: address } : {}),
      ...(planned.deploymentTier === null ? {} : { tier: tierNamed(planned.deploymentTier) ?? environment.tier }),
      ...(planned.autoStopIn === null ? {} : { auto_stop_at: seconds === null ? null : now + seconds * 1000 }),
      updated_at: now,
    }),
  );
}

/** What a job is told of its environment, beside what its configuration says. */
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
