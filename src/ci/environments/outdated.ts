import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import * as store from './store.ts';

/**
 * Whether a job would deploy an older version than the one deployed since its creation. A retried job is a rollback,
 * which the project may disallow.
 */
export async function isOutdatedDeployment(db: Reader, project: Project, job: CiJobRow): Promise<boolean> {
  const settings = settingsOf(project);
  if (settings.ci_forward_deployment_enabled === false || plannedJob(job).environment?.action !== 'start') return false;
  const deployment = await store.deploymentOfJob(db, job.id);
  const latest = deployment && (await store.latestSuccess(db, deployment.environment_id));
  if (!deployment || !latest || latest.sha === deployment.sha) return false;
  if (latest.id > deployment.id) return true;
  const isRollback = latest.pipeline_id !== null && latest.pipeline_id > job.pipeline_id;
  return isRollback && settings.ci_forward_deployment_rollback_allowed === false;
}
