import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { repositoryOf, resolveCommit } from '../../../code/repository/public.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { presentDeployments } from '../present.ts';
import { requireDeployer } from '../protection/rights.ts';
import { nameProblem, slugOf, tierOf } from '../rules.ts';
import type {
  DeploymentEntity,
  DeploymentExtendedEntity,
  DeploymentListParams,
  NewDeploymentParams,
} from '../schema.ts';
import * as store from '../store.ts';
import type { DeploymentRow, DeploymentStatus } from '../tables.ts';
import { presentApprovalState } from './approvals.ts';
import { announceChange, requireDeployment } from './changes.ts';
import { deploymentList } from './list.ts';

const finishedStatuses: ReadonlySet<DeploymentStatus> = new Set<DeploymentStatus>(['success', 'failed', 'canceled']);

async function presentOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  row: DeploymentRow,
): Promise<DeploymentExtendedEntity> {
  const [[entity], approvals] = await Promise.all([
    presentDeployments(services, subject, [row]),
    presentApprovalState(services, caller, subject, row),
  ]);
  if (!entity) throw new NotFound('Deployment');
  return { ...entity, ...approvals };
}

export async function listDeployments(
  services: Services,
  subject: ProjectSubject,
  { id: _, order_by: by, sort: direction, ...filters }: DeploymentListParams,
  page: PageRequest,
): Promise<Page<DeploymentEntity>> {
  const scope = { project: subject.project.id };
  const { rows, total } = await deploymentList.page(services.db.read, scope, filters, { by, direction }, page);
  return new Page(await presentDeployments(services, subject, rows), total);
}

export async function getDeployment(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<DeploymentExtendedEntity> {
  return presentOne(services, caller, subject, await requireDeployment(services, subject, id));
}

/** Records a deployment made outside of pipelines. */
export async function createDeployment(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewDeploymentParams,
): Promise<DeploymentExtendedEntity> {
  await check(services, subject, params);
  const { environment: name, ref, sha, tag, status } = params;
  const project_id = subject.project.id;
  const existing = await store.environmentByName(services.db.read, project_id, name);
  await requireDeployer(services.db.read, caller, subject, { name, tier: existing?.tier ?? tierOf(name) });
  const now = Date.now();
  const row = await services.db.write(async (trx) => {
    const environment = await store.ensureEnvironment(trx, {
      project_id,
      name,
      slug: slugOf(name),
      external_url: null,
      tier: tierOf(name),
      state: 'available',
      description: null,
      auto_stop_setting: 'always',
      auto_stop_at: null,
      kubernetes_namespace: null,
      flux_resource_path: null,
      created_at: now,
      updated_at: now,
    });
    const deployment = await store.insertDeployment(trx, {
      project_id,
      environment_id: environment.id,
      ref,
      tag: tag ? 1 : 0,
      sha,
      status,
      user_id: caller.user.id,
      job_id: null,
      on_stop: null,
      created_at: now,
      updated_at: now,
      finished_at: finishedStatuses.has(status) ? now : null,
    });
    await announceChange(services, trx, deployment, null);
    return deployment;
  });
  return presentOne(services, caller, subject, row);
}

async function check(services: Services, subject: ProjectSubject, params: NewDeploymentParams): Promise<void> {
  const problem = nameProblem(params.environment);
  if (problem !== undefined) throw new Invalid({ environment: [problem] });
  const full = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(params.sha);
  const commit = full ? await resolveCommit(services, subject, params.sha) : undefined;
  if (!commit) throw new Invalid({ sha: ['The commit does not exist'] });
  const repo = repositoryOf(services, subject);
  const fullRef = `refs/${params.tag ? 'tags' : 'heads'}/${params.ref}`;
  if ((await services.git.readRef(repo, fullRef)) === null) {
    throw new Invalid({ ref: ['The branch or tag does not exist'] });
  }
}

export async function updateDeployment(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  status: DeploymentStatus,
): Promise<DeploymentExtendedEntity> {
  const current = await requireDeployment(services, subject, id);
  // The status of such a deployment follows its job.
  if (current.job_id !== null) throw new Forbidden();
  const [environment] = await store.environmentsById(services.db.read, [current.environment_id]);
  if (environment) await requireDeployer(services.db.read, caller, subject, environment);
  const now = Date.now();
  const row = await services.db.write(async (trx) => {
    const change = { status, updated_at: now, finished_at: finishedStatuses.has(status) ? now : null };
    const changed = await store.updateDeployment(trx, id, change);
    if (current.status !== status) await announceChange(services, trx, changed, current.status);
    return changed;
  });
  return presentOne(services, caller, subject, row);
}

export async function deleteDeployment(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const row = await requireDeployment(services, subject, id);
  if (row.status === 'running') throw BadRequest.plain('Cannot destroy running deployment');
  const last = await store.lastDeployment(services.db.read, row.environment_id);
  if (last?.id === id) throw BadRequest.plain('Deployment currently deployed to environment');
  await services.db.write((trx) => store.deleteDeployment(trx, id));
}
