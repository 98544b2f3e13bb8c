import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { moveProjectAddress } from '../../access/namespaces/addresses.ts';
import { Visibility, type VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { isBranchRef } from '../../platform/git/refs/refname.ts';
import { setHead } from '../../platform/git/repository.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import type { MirroringChange } from './domain-events.ts';
import { instanceRunnersIn, runnersRefused } from './instance-runners.ts';
import { ensureRepository } from './repository.ts';
import { nameProblems, nameTaken, visibilityProblems } from './rules.ts';
import type { ChangedProject } from './schema.ts';
import { changesOnlyMergeRequests } from './settings/merge-requests.ts';
import { changeSettings, guardedChanges, settingProblems } from './settings/values.ts';
import { findProject, lockAddress, lockProject, updateProject } from './store.ts';
import { cleanTopics } from './topics/rules.ts';
import { findOrCreateTopics, setTopics } from './topics/store.ts';

/** Some settings require a higher role than Maintainer. */
function checkRights(actor: SignedInActor, subject: ProjectSubject, params: ChangedProject): void {
  if (!subject.can('admin_project') && !changesOnlyMergeRequests(params)) throw new Forbidden();
  const guarded = guardedChanges(params);
  if ((params.visibility !== undefined || guarded.owner) && !subject.can('change_visibility')) throw new Forbidden();
  if (guarded.admin && !isAdmin(actor)) throw new Forbidden();
}

async function checkChange(
  { db, settings }: Services,
  actor: SignedInActor,
  { project, namespace }: ProjectSubject,
  params: ChangedProject,
): Promise<void> {
  const problems: Record<string, string[]> = { ...nameProblems(params), ...settingProblems(params) };
  if (params.visibility !== undefined && Visibility[params.visibility] !== project.visibility) {
    const restrictions = restrictionProblems(await settings.read(), actor, Visibility[params.visibility]);
    const texts = await visibilityErrors(db.read, project, namespace, params.visibility, restrictions);
    if (texts.length > 0) problems.visibility_level = texts;
  }
  if (params.shared_runners_enabled && !(await instanceRunnersIn(db.read, namespace.id)).allowed) {
    problems.shared_runners_enabled = runnersRefused;
  }
  if (params.repository_storage !== undefined && params.repository_storage !== 'default') {
    problems.repository_storage = ['is not included in the list'];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

async function visibilityErrors(
  db: Reader,
  project: Project,
  namespace: Namespace,
  requested: VisibilityName,
  restrictions: readonly string[] = [],
): Promise<string[]> {
  const source = project.forked_from_id === null ? undefined : await findProject(db, project.forked_from_id);
  return visibilityProblems(requested, namespace, source, restrictions);
}

/** Updates a project; either all changes are applied or none. */
export async function changeProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: ChangedProject,
): Promise<Project> {
  checkRights(actor, subject, params);
  await checkChange(services, actor, subject, params);
  const { project } = subject;
  const [following] = await Promise.all(
    services.contributions('projects.follow').map((follow) => follow(services, actor, project, params)),
  );
  if (params.default_branch) await ensureRepository(services, project);
  return changeAvatar(services, params.avatar, project.avatar, (trx, avatar) =>
    change(services, trx, actor, subject, { ...params, ...following?.settings }, { avatar, following }),
  ).catch((error: unknown) => {
    throw uniqueViolation(error) ? new Invalid(nameTaken) : error;
  });
}

async function change(
  services: Services,
  trx: Writer,
  { user: by }: SignedInActor,
  { project: current }: ProjectSubject,
  params: ChangedProject,
  { avatar, following }: { avatar: { avatar?: string | null }; following: MirroringChange | undefined },
): Promise<Project> {
  const { id } = current;
  const keepsAddress = params.path === undefined && params.visibility === undefined;
  // Settings share a column, so concurrent changes to different settings are serialized by this lock.
  const { project, namespace } = keepsAddress
    ? { project: await lockProject(trx, id) }
    : await lockAddress(trx, current);
  if (namespace && params.visibility !== undefined && Visibility[params.visibility] !== project.visibility) {
    // The group's visibility may have been lowered since the first check.
    const texts = await visibilityErrors(trx, project, namespace, params.visibility);
    if (texts.length > 0) throw new Invalid({ visibility_level: texts });
  }
  if (params.default_branch) await requireBranch(services, trx, project, params.default_branch);
  const names = params.topics ?? params.tag_list;
  const topics = names && (await findOrCreateTopics(trx, cleanTopics(names)));
  if (topics) await setTopics(trx, id, topics);
  const changed = await updateProject(trx, id, {
    ...changeSettings(project, params),
    ...avatar,
    ...(params.name === undefined ? {} : { name: params.name.trim() }),
    ...(params.path === undefined ? {} : { path: params.path }),
    ...(params.description === undefined ? {} : { description: params.description }),
    ...(params.visibility === undefined ? {} : { visibility: Visibility[params.visibility] }),
    ...(params.default_branch ? { default_branch: params.default_branch } : {}),
    ...(topics ? { topics: JSON.stringify(topics.map(({ name }) => name)) } : {}),
  });
  const event = { before: project, project: changed, by };
  if (namespace && changed.path !== project.path) {
    const formerPath = `${namespace.full_path}/${project.path}`;
    const fullPath = `${namespace.full_path}/${changed.path}`;
    await moveProjectAddress(trx, formerPath, fullPath, id);
    await services.announce(trx, 'project.renamed', { ...event, formerPath, fullPath });
  }
  await services.announce(trx, 'project.updated', event);
  if (params.default_branch) await setHead(services.git.repository(id), params.default_branch);
  if (!following) return changed;
  await following.apply(trx, changed);
  return lockProject(trx, id);
}

/**
 * Rejects a default branch that does not exist, unless the repository is empty. The caller has locked the project, and a
 * deletion of branches is recorded under the same lock: one that was recorded before is still underway or can be seen.
 */
async function requireBranch(services: Services, trx: Writer, project: Project, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const exists = async () => {
    if (project.empty_repo === 1) return true;
    const [removed] = services.contributions('projects.removesBranch').map((find) => find(trx, project.id, branch));
    return !(await removed) && (await services.git.readRef(services.git.repository(project.id), ref)) !== null;
  };
  if (isBranchRef(ref) && (await exists())) return;
  throw new Invalid({ base: [`Could not change HEAD: branch '${branch}' does not exist`] });
}
