import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectById } from '../../../access/subject-queries.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project, User } from '../../../access/tables.ts';
import { groupLevels, projectLevels } from '../../../access/visibility/levels.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { type CiJobRow, type Clearance, plannedJob } from '../../jobs/public.ts';
import { nameProblem, tierNamed, tierOf } from '../rules.ts';
import { deploymentOfJob, environmentByName } from '../store.ts';
import type { EnvironmentRow } from '../tables.ts';
import { type Deployer, mayDeploy, type Protection, pendingApprovals } from './access.ts';
import { approvalsOf, protectionsForEnvironment } from './store.ts';

/** Loads the attributes of a user that these rules refer to; groups are only queried if a rule names one. */
export async function deployerOf(
  db: Reader,
  user: Pick<User, 'id' | 'admin'>,
  project: Project,
  protections: readonly Protection[],
): Promise<Deployer> {
  const groups = new Set(protections.flatMap(({ grants }) => grants.flatMap(({ group_id }) => group_id ?? [])));
  const roles = [...groups].map(async (group) => [group, await groupLevels(db, user.id, group)] as const);
  return {
    userId: user.id,
    admin: user.admin === 1,
    level: (await projectLevels(db, user.id, project)).highest,
    groups: new Map(await Promise.all(roles)),
  };
}

/** Throws unless the user may deploy to the environment, which is also required to change it. */
export async function requireDeployer(
  db: Reader,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  environment: Pick<EnvironmentRow, 'name' | 'tier'>,
): Promise<void> {
  if (!(await isDeployer(db, user, project, environment))) throw new Forbidden();
}

export async function isDeployer(
  db: Reader,
  user: User,
  project: Project,
  environment: Pick<EnvironmentRow, 'name' | 'tier'>,
): Promise<boolean> {
  const protections = await protectionsForEnvironment(db, project, environment);
  return protections.length === 0 || mayDeploy(protections, await deployerOf(db, user, project, protections));
}

/**
 * Whether a job may run in its environment: its user may deploy there, and enough approvals were given. Any job with an
 * environment is checked, because it can read the environment's variables. Only deployments need approvals.
 */
export async function clearanceOfJob(
  _services: Services,
  db: Reader,
  job: CiJobRow,
  userId: number | null,
): Promise<Clearance> {
  const planned = job.kind === 'build' ? plannedJob(job).environment : null;
  if (planned === null || nameProblem(planned.name) !== undefined) return 'free';
  const project = await projectById.first(db, { id: job.project_id });
  if (!project) return 'free';
  const existing = await environmentByName(db, project.id, planned.name);
  const tier = existing?.tier ?? tierNamed(planned.deploymentTier) ?? tierOf(planned.name);
  const protections = await protectionsForEnvironment(db, project, { name: planned.name, tier });
  if (protections.length === 0) return 'free';
  const user = userId === null ? undefined : await findUser(db, userId);
  if (!user || !mayDeploy(protections, await deployerOf(db, user, project, protections))) return 'refused';
  return planned.action === 'start' ? approvalState(db, job, protections) : 'free';
}

/** A deployment that was once unblocked stays so. */
async function approvalState(db: Reader, job: CiJobRow, protections: readonly Protection[]): Promise<Clearance> {
  const deployment = await deploymentOfJob(db, job.id);
  if (deployment && deployment.status !== 'blocked') return 'free';
  const approvals = deployment ? await approvalsOf(db, deployment.id) : [];
  if (pendingApprovals(protections, approvals) === 0) return 'free';
  return deployment ? 'waits' : 'asks';
}

/** Whether deployments to an environment require approval. */
export async function requiresApproval(
  db: Reader,
  projectId: number,
  environment: Pick<EnvironmentRow, 'name' | 'tier'>,
): Promise<boolean> {
  const project = await projectById.first(db, { id: projectId });
  return project !== undefined && pendingApprovals(await protectionsForEnvironment(db, project, environment), []) > 0;
}
