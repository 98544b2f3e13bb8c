import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import * as store from '../store.ts';
import type { DeploymentRow, DeploymentStatus } from '../tables.ts';

/** Finds a deployment of the project; throws a 404 when it does not exist. */
export async function requireDeployment({ db }: Services, subject: ProjectSubject, id: number): Promise<DeploymentRow> {
  const row = await store.deploymentOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Deployment');
  return row;
}

/** Announces a status change of a deployment. A successful one makes its environment available again. */
export async function announceChange(
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
