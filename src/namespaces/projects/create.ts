import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { claimProjectPath } from '../../access/namespaces/addresses.ts';
import type { VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { isBranchRef } from '../../platform/git/refs/refname.ts';
import { setRepositoryAside } from '../../platform/git/repository.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { randomToken } from '../../platform/secrets/tokens.ts';
import { recordEvent } from '../events/public.ts';
import { addProjectOwner } from '../members/public.ts';
import { type InstanceRunners, instanceRunnersIn, runnersRefused } from './instance-runners.ts';
import { deleteProject } from './removal/service.ts';
import { ensureRepository } from './repository.ts';
import { nameProblems, nameTaken, newVisibility, pathFromName } from './rules.ts';
import type { NewProject } from './schema.ts';
import { changeSettings, settingProblems } from './settings/values.ts';
import { insertProject, lockNamespace, type ProjectRow, personalNamespaceOf } from './store.ts';
import { checkQuota, mayCreateIn } from './target-namespace.ts';
import { cleanTopics } from './topics/rules.ts';
import { findOrCreateTopics, setTopics } from './topics/store.ts';

/** Returns the namespace of a new project: the requested one, or the user's personal namespace. */
async function targetNamespace(
  { db }: Services,
  actor: SignedInActor,
  namespaceId: number | undefined,
): Promise<Namespace> {
  const target =
    namespaceId === undefined
      ? await personalNamespaceOf(db.read, actor.user.id)
      : await lookUpNamespace(db.read, String(namespaceId));
  if (!target || !(await mayCreateIn(db.read, actor, target))) throw new Invalid({ namespace: ['is not valid'] });
  return target;
}

function checkOrigin({ template_name, template_project_id }: NewProject): void {
  if (template_name !== undefined) {
    throw new Invalid({ template_name: [`'${template_name}' is unknown or invalid`] });
  }
  if (template_project_id !== undefined) {
    throw new Invalid({ template_project_id: [`${template_project_id} is unknown or invalid`] });
  }
}

function validateParams(params: NewProject): void {
  const problems: Record<string, string[]> = { ...nameProblems(params), ...settingProblems(params) };
  if (params.default_branch && !isBranchRef(`refs/heads/${params.default_branch}`)) {
    problems.default_branch = ['is invalid'];
  }
  if (params.repository_object_format === 'sha256') problems.repository_object_format = ['is not included in the list'];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Creates a project for the actor, who becomes its owner or keeps the role inherited from its group. */
export async function createProject(services: Services, actor: SignedInActor, params: NewProject): Promise<Project> {
  checkOrigin(params);
  const { import_url } = params;
  const importing = import_url ? services.contributions('projects.importUrl')[0] : undefined;
  if (import_url && !importing) throw new Forbidden();
  await importing?.check(services, import_url ?? '');
  const [following] = await Promise.all(
    services.contributions('projects.follow').map((follow) => follow(services, actor, undefined, params)),
  );
  const target = await targetNamespace(services, actor, params.namespace_id);
  const name = (params.name ?? params.path ?? '').trim();
  const path = params.path ?? pathFromName(name);
  validateParams({ ...params, name, path });
  const settings = await services.settings.read();
  const visibility = params.visibility ?? settings.default_project_visibility;
  const restricted = restrictionProblems(settings, actor, newVisibility(visibility, target));
  if (restricted.length > 0) throw new Invalid({ visibility_level: restricted });
  const { branch, lfs } = await inherited(services.db.read, target);
  const runners = await instanceRunnersIn(services.db.read, target.id);
  if (params.shared_runners_enabled && !runners.allowed) throw new Invalid({ shared_runners_enabled: runnersRefused });
  const default_branch = params.default_branch || branch || settings.default_branch_name || null;
  const project = await insertWithAvatar(
    services,
    actor.user,
    target,
    { lfs_enabled: lfs, ...pipelineDefaults(settings, runners), ...params, ...following?.settings },
    { name, path, visibility, default_branch },
  );
  await ensureRepository(services, project);
  if (following) await services.db.write((trx) => following.apply(trx, project));
  if (importing) return importing.begin(services, actor, project, import_url ?? '');
  return params.initialize_with_readme === true ? withFirstCommit(services, actor, project) : project;
}

/** Creates a project owned by another user. */
export async function createProjectFor(services: Services, userId: number, params: NewProject): Promise<Project> {
  const owner = await findUser(services.db.read, userId);
  if (!owner) throw new NotFound('User');
  return createProject(services, actorOnBehalfOf(owner), params);
}

/** Attributes of a new project derived from the request. */
interface Named {
  readonly name: string;
  readonly path: string;
  readonly visibility: VisibilityName;
  readonly default_branch: string | null;
}

/** Defaults for CI settings from the instance and the ancestor groups. */
function pipelineDefaults(
  { default_ci_config_path, shared_runners_enabled }: ApplicationSettings,
  { usual }: InstanceRunners,
) {
  return {
    ...(default_ci_config_path ? { ci_config_path: default_ci_config_path } : {}),
    ...(shared_runners_enabled && usual ? {} : { shared_runners_enabled: false }),
  };
}

/** Returns defaults inherited from the ancestor groups; the nearest group with a default branch decides on it. */
async function inherited(db: Reader, target: Namespace): Promise<{ branch: string | undefined; lfs: boolean }> {
  const above = target.kind === 'group' ? await settingsWithAncestors(db, target.id) : [];
  const branch = above.map(({ settings }) => settings.default_branch).find((name) => typeof name === 'string');
  return { branch, lfs: !above.some(({ settings }) => settings.lfs_enabled === false) };
}

async function insertWithAvatar(
  services: Services,
  user: User,
  target: Namespace,
  params: NewProject,
  { visibility: asked, ...named }: Named,
): Promise<Project> {
  const row = { ...named, ...changeSettings({ settings: '{}' }, params), description: params.description ?? null };
  return changeAvatar(services, params.avatar, null, async (trx, avatar) => {
    const topics = () => findOrCreateTopics(trx, cleanTopics(params.topics ?? params.tag_list ?? []));
    return addProject(services, trx, { creator: user, target, topics }, async ({ visibility }) => ({
      ...row,
      ...avatar,
      visibility: newVisibility(asked, { visibility }),
    }));
  }).catch((error: unknown) => {
    throw uniqueViolation(error) ? new Invalid(nameTaken) : error;
  });
}

/** Columns of a new project that do not depend on its namespace. */
type OwnColumns = Omit<
  ProjectRow,
  'namespace_id' | 'creator_id' | 'runners_token' | 'topics' | 'last_activity_at' | 'created_at' | 'updated_at'
>;

interface Addition {
  readonly creator: User;
  readonly target: Namespace;
  /** Returns the topics to assign, creating missing ones. */
  readonly topics?: () => ReturnType<typeof findOrCreateTopics>;
}

/**
 * Inserts a project with its path, owner, topics and events. `columns` is called after the namespace is locked. Rejects
 * with a unique violation if the name or path is taken.
 */
export async function addProject(
  services: Services,
  trx: Writer,
  { creator, target, topics: wantedTopics }: Addition,
  columns: (namespace: Namespace) => Promise<OwnColumns>,
): Promise<Project> {
  const { encryption, announce } = services;
  const namespace = await lockNamespace(trx, target.id);
  await checkQuota(services, trx, target, creator);
  const topics = (await wantedTopics?.()) ?? [];
  const now = Date.now();
  const project = await insertProject(trx, {
    ...(await columns(namespace)),
    namespace_id: target.id,
    creator_id: creator.id,
    topics: JSON.stringify(topics.map(({ name }) => name)),
    runners_token: encryption.encrypt(`GR1348941${randomToken()}`, 'projects.runners_token'),
    last_activity_at: now,
    created_at: now,
    updated_at: now,
  });
  await setLeftoverAside(services, project.id);
  await claimProjectPath(trx, `${namespace.full_path}/${project.path}`, project.id);
  if (target.owner_id !== null) await addProjectOwner(trx, project.id, target.owner_id);
  await setTopics(trx, project.id, topics);
  await recordEvent(trx, { projectId: project.id, authorId: creator.id, action: 'created', audience: 'project' });
  await announce(trx, 'project.created', { project, namespace, by: creator });
  return project;
}

/**
 * A database restored from a backup can assign an id again, so a leftover repository with that id belongs to a
 * different project and is set aside.
 */
async function setLeftoverAside({ git, log }: Services, id: number): Promise<void> {
  const found = await setRepositoryAside(git.repository(id));
  if (found) log.warn({ project: id }, 'a leftover repository was found for a new project and set aside');
}

/** Commits the initial README. If that fails, the project is deleted and the error returned. */
async function withFirstCommit(services: Services, actor: SignedInActor, created: Project): Promise<Project> {
  try {
    let project = created;
    for (const commit of services.contributions('projects.firstCommit'))
      project = await commit(services, actor, project);
    return project;
  } catch (error) {
    await services.db.write((trx) => deleteProject(services, trx, created));
    throw error;
  }
}
