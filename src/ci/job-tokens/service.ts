import type { Actor, SignedInActor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser, type JobTokenLookup } from '../../access/credentials/identify.ts';
import { jobCredential } from '../../access/credentials/job-tokens.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { projectRoles, roleName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import {
  type ProjectSubject,
  projectSubject,
  readableGroup,
  readableProject,
  settingsOf,
} from '../../access/subjects.ts';
import { groupUrl } from '../../namespaces/groups/public.ts';
import { findProject, lockProject, presentSubjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { environmentByName } from '../environments/public.ts';
import { type JobEntity, jobById, jobByToken, plannedJob, presentJobs, statusOf } from '../jobs/public.ts';
import { executing } from '../states/public.ts';
import type { AllowedAgentsEntity } from './schema.ts';
import * as store from './store.ts';

/** Maximum number of projects and groups in an allowlist. */
const maxAllowed = 200;

/** Authenticates a job token: the job must be running, and its project and user active. */
export async function jobOfToken(services: Services, token: string): Promise<Awaited<ReturnType<JobTokenLookup>>> {
  if (!token.startsWith('glcbt-')) return undefined;
  const { db, externalUrl } = services;
  const job = await jobByToken(db.read, digest(token));
  if (!job || !executing.has(statusOf(job)) || job.erased_at !== null || job.user_id === null) return undefined;
  const [project, user] = await Promise.all([findProject(db.read, job.project_id), findUser(db.read, job.user_id)]);
  if (!project || project.marked_for_deletion_at !== null) return undefined;
  if (!user || accountRefusal(user, externalUrl) !== undefined) return undefined;
  return { user, job: await jobCredential(services, job) };
}

/** The job that authenticated with its token. */
export async function ownJob(services: Services, caller: Actor): Promise<JobEntity> {
  const { read } = services.db;
  const job = caller.job && (await jobById(read, caller.job.id));
  const project = job && (await findProject(read, job.project_id));
  if (!job || !project) throw new NotFound('Job');
  const [entity] = await presentJobs(services, await projectSubject(read, caller, project), [job]);
  if (!entity) throw new NotFound('Job');
  return entity;
}

/** Cluster agents the job may use: always none, because agents are not supported. */
export async function allowedAgents({ db }: Services, caller: Actor): Promise<AllowedAgentsEntity> {
  const { read } = db;
  const job = caller.job && (await jobById(read, caller.job.id));
  const found = job && (await findProject(read, job.project_id));
  if (!job || !found || !caller.user) throw new NotFound('Job');
  const { project, namespace, levels } = await projectSubject(read, caller, found);
  const groups = namespace.kind === 'group' ? await selfAndAncestorIds(read, namespace.id) : [];
  const plannedEnvironment = plannedJob(job).environment;
  const environment = plannedEnvironment && (await environmentByName(read, project.id, plannedEnvironment.name));
  return {
    allowed_agents: [],
    job: { id: job.id },
    pipeline: { id: job.pipeline_id },
    project: { id: project.id, groups: groups.map((id) => ({ id })) },
    user: {
      id: caller.user.id,
      username: caller.user.username,
      roles_in_project: projectRoles
        .filter((role) => role <= levels.highest)
        .map((role) => roleName(role).toLowerCase()),
    },
    ...(environment && { environment: { tier: environment.tier, slug: environment.slug } }),
  };
}

export async function scopeOf({ db, settings }: Services, { project }: ProjectSubject) {
  const { enforce_ci_inbound_job_token_scope_enabled: enforced } = await settings.read();
  return {
    inbound_enabled: enforced || !(await store.allowsAnyProject(db.read, project.id)),
    outbound_enabled: settingsOf(project).ci_job_token_scope_enabled === true,
  };
}

/** Restricts access to the allowlist, or grants it to job tokens of any project. */
export async function restrict({ db }: Services, { project: { id } }: ProjectSubject, enabled: boolean): Promise<void> {
  await db.write(async (trx) => {
    await lockProject(trx, id);
    await store.setAllowsAnyProject(trx, id, !enabled);
  });
}

export async function listProjects(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  page: PageRequest,
) {
  const { read } = services.db;
  const { rows, total } = await store.allowedProjects(read, project.id, page);
  const subjects = await subjectsOf(read, caller, rows);
  return new Page(await presentSubjects(services, caller, subjects, { layer: 'basic' }), total);
}

export async function listGroups({ db, externalUrl }: Services, { project }: ProjectSubject, page: PageRequest) {
  const { rows, total } = await store.allowedGroups(db.read, project.id, page);
  const groups = rows.map(({ id, name, full_path }) => ({ id, name, web_url: groupUrl(externalUrl, full_path) }));
  return new Page(groups, total);
}

async function add({ db }: Services, projectId: number, target: store.AllowlistTarget): Promise<void> {
  await db.write(async (trx) => {
    await lockProject(trx, projectId);
    if ((await store.countAllowed(trx, projectId)) >= maxAllowed) {
      throw new Unprocessable('Source project exceeded the allowlist limit');
    }
    if (!(await store.addTarget(trx, projectId, target))) {
      throw new Unprocessable('This project is already in the job token allowlist.');
    }
  });
}

/** Adds a project that the caller can read to the allowlist. */
export async function addProject(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  targetId: number,
) {
  const { project: target } = await readableProject(services.db, caller, targetId);
  if (target.id === project.id) throw new Unprocessable('Target project is the source project');
  await add(services, project.id, { target_project_id: target.id });
  return { source_project_id: project.id, target_project_id: target.id };
}

/** Adds a group that the caller can read, with all projects below it, to the allowlist. */
export async function addGroup(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  targetId: number,
) {
  const { group } = await readableGroup(services.db, caller, targetId);
  await add(services, project.id, { target_group_id: group.id });
  return { source_project_id: project.id, target_group_id: group.id };
}

export async function remove(
  { db }: Services,
  { project }: ProjectSubject,
  target: store.AllowlistTarget,
): Promise<void> {
  const removed = await db.write((trx) => store.removeTarget(trx, project.id, target));
  if (!removed) throw new NotFound();
}
