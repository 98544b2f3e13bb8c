import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import * as store from './store.ts';

/**
 * Whether a job would put something older in the place of what was deployed since it was made. One that is run once more
 * is a deployment of now: a way back, unless the project does not allow that.
 */
export async function isOutdatedDeployment(db: Reader, project: Project, job: CiJobRow): Promise<boolean> {
  const settings = settingsOf(project);
  if (settings.ci_forward_deployment_enabled === false || plannedJob(job).environment?.action !== 'start') return false;
  const own = await store.deploymentOfJob(db, job.id);
  const latest = own && (await store.latestSuccess(db, own.environment_id));
  if (!own || !latest || latest.sha === own.sha) return false;
  if (latest.id > own.id) return true;
  const backwards = latest.pipeline_id !== null && latest.pipeline_id > job.pipeline_id;
  return backwards && settings.ci_forward_deployment_rollback_allowed === false;
}
