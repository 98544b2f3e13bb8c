import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { presentSubjects } from '../../namespaces/projects/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { presentJobs } from '../jobs/public.ts';
import { isDeployer } from './protection/rights.ts';
import type { DeploymentEntity, EnvironmentBasicEntity, EnvironmentEntity } from './schema.ts';
import { deployables, environmentsById, lastDeployments, protectedEnvironmentIds } from './store.ts';
import type { DeploymentRow, EnvironmentRow } from './tables.ts';

export function presentBasic(row: EnvironmentRow): EnvironmentBasicEntity {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    external_url: row.external_url,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

/** Presents environments of one project, optionally with their last deployment. */
export async function presentEnvironments(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  rows: readonly EnvironmentRow[],
  withLast: boolean,
): Promise<EnvironmentEntity[]> {
  const { read } = services.db;
  const ids = rows.map(({ id }) => id);
  const [[project], protectedIds, last] = await Promise.all([
    presentSubjects(services, actor, [subject], { layer: 'basic' }),
    protectedEnvironmentIds(read, subject.project, ids),
    withLast ? lastDeployments(read, ids).then((found) => presentDeployments(services, subject, found)) : [],
  ]);
  if (!project) throw new Error('a project was not presented');
  const lastById = new Map(last.map((deployment) => [deployment.environment.id, deployment]));
  return rows.map((row) => ({
    ...presentBasic(row),
    tier: row.tier,
    project: project as EnvironmentEntity['project'],
    ...(withLast && { last_deployment: lastById.get(row.id) ?? null }),
    protected: protectedIds.has(row.id),
    state: row.state,
    auto_stop_at: instantOrNull(row.auto_stop_at),
    cluster_agent: null,
    kubernetes_namespace: row.kubernetes_namespace,
    flux_resource_path: row.flux_resource_path,
    description: row.description,
    auto_stop_setting: row.auto_stop_setting,
  }));
}

/** Presents a single environment with its last deployment and the caller's permissions. */
export async function presentEnvironment(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  row: EnvironmentRow,
): Promise<EnvironmentEntity> {
  const [entity] = await presentEnvironments(services, actor, subject, [row], true);
  if (!entity) throw new Error('an environment was not presented');
  const { user } = actor;
  const mayDeploy =
    user !== null &&
    subject.can('update_environment') &&
    (await isDeployer(services.db.read, user, subject.project, row));
  return { ...entity, user_can_deploy: mayDeploy };
}

/** Presents deployments of one project, with one query per related table. */
export async function presentDeployments(
  services: Services,
  subject: ProjectSubject,
  rows: readonly DeploymentRow[],
): Promise<DeploymentEntity[]> {
  const { db, externalUrl } = services;
  const [users, environments, jobs] = await Promise.all([
    basicUsers(
      db.read,
      rows.map(({ user_id }) => user_id),
      externalUrl,
    ),
    environmentsById(
      db.read,
      rows.map(({ environment_id }) => environment_id),
    ),
    deployables(
      db.read,
      rows.flatMap(({ job_id }) => job_id ?? []),
    ).then((found) => presentJobs(services, subject, found)),
  ]);
  const byId = new Map(environments.map((one) => [one.id, presentBasic(one)]));
  const jobById = new Map(jobs.map((job) => [job.id, job]));
  return rows.flatMap((row) => {
    const environment = byId.get(row.environment_id);
    if (!environment) return [];
    return {
      id: row.id,
      iid: row.iid,
      ref: row.ref,
      sha: row.sha,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      user: (row.user_id !== null && users.get(row.user_id)) || null,
      environment,
      deployable: (row.job_id !== null && jobById.get(row.job_id)) || null,
      status: row.status,
    };
  });
}
