import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import * as store from '../store.ts';
import type { DeploymentRow, DeploymentStatus } from '../tables.ts';

/** A deployment of the project, for those who may read its environments. */
export async function requireDeployment({ db }: Services, subject: ProjectSubject, id: number): Promise<DeploymentRow> {
  const row = await store.deploymentOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Deployment');
  return row;
}

/** Tells of a deployment that has got another state. */
export async function tell(
  services: Services,
  trx: Writer,
  deployment: DeploymentRow,
  before: DeploymentStatus | null,
) {
  const [environment] = await store.environmentsById(trx, [deployment.environment_id]);
  if (!environment) return;
  await services.announce(trx, 'deployment.changed', { deployment, environment, before });
  if (deployment.status === 'success' && environment.state !== 'available') {
    await store.updateEnvironment(trx, environment.id, { state: 'available', updated_at: Date.now() });
  }
}
