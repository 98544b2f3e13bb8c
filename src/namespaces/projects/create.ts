import type { Actor } from '../../access/actor.ts';
import { claimProjectAddress } from '../../access/addresses.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import type { VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { isBranchRef } from '../../platform/git/refs/refname.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { randomToken } from '../../platform/secrets/tokens.ts';
import { recordEvent } from '../events/public.ts';
import type { NewProject } from './params.ts';
import { createRepository } from './repository.ts';
import { nameProblems, nameTaken, newVisibility, pathFromName } from './rules.ts';
import { changeSettings, settingProblems } from './settings/values.ts';
import { addOwner, insertProject, lockNamespace } from './store.ts';
import { checkQuota, mayHold, personalNamespaceOf } from './target-namespace.ts';
import { cleanTopics } from './topics/rules.ts';
import { setTopics, topicsNamed } from './topics/store.ts';

/** Where a new project goes: the namespace that was named, else the user's own. */
async function homeOf({ db }: Services, actor: Actor, namespaceId: number | undefined): Promise<Namespace> {
  const user = actor.user as User;
  const home =
    namespaceId === undefined
      ? await personalNamespaceOf(db.read, user.id)
      : await lookUpNamespace(db.read, String(namespaceId));
  if (!home || !(await mayHold(db.read, actor, home))) throw new Invalid({ namespace: ['is not valid'] });
  return home;
}

function checkOrigin({ import_url, template_name, template_project_id }: NewProject): void {
  if (import_url) throw new Forbidden();
  if (template_name !== undefined) {
    throw new Invalid({ template_name: [`'${template_name}' is unknown or invalid`] });
  }
  if (template_project_id !== undefined) {
    throw new Invalid({ template_project_id: [`${template_project_id} is unknown or invalid`] });
  }
}

function checkWanted(wanted: NewProject): void {
  const problems: Record<string, string[]> = { ...nameProblems(wanted), ...settingProblems(wanted) };
  if (wanted.default_branch && !isBranchRef(`refs/heads/${wanted.default_branch}`)) {
    problems.default_branch = ['is invalid'];
  }
  if (wanted.repository_object_format === 'sha256') problems.repository_object_format = ['is not included in the list'];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Creates a project for the actor, who then owns it or has the role that its group gives. */
export async function createProject(services: Services, actor: Actor, wanted: NewProject): Promise<Project> {
  checkOrigin(wanted);
  const user = actor.user as User;
  const home = await homeOf(services, actor, wanted.namespace_id);
  const name = (wanted.name ?? wanted.path ?? '').trim();
  const path = wanted.path ?? pathFromName(name);
  checkWanted({ ...wanted, name, path });
  const settings = await services.settings.read();
  const visibility = wanted.visibility ?? settings.default_project_visibility;
  const restricted = restrictionProblems(settings, actor, newVisibility(visibility, home));
  if (restricted.length > 0) throw new Invalid({ visibility_level: restricted });
  const { branch, lfs } = await inherited(services.db.read, home);
  const default_branch = wanted.default_branch || branch || settings.default_branch_name || null;
  const project = await changeAvatar(services, wanted.avatar, null, (avatar) =>
    insertNewProject(
      services,
      user,
      home,
      { lfs_enabled: lfs, ...wanted },
      { name, path, visibility, default_branch, ...avatar },
    ),
  );
  return createRepository(services, actor, project, wanted.initialize_with_readme === true);
}

/** What was worked out for a new project from what was asked. */
interface Named {
  readonly name: string;
  readonly path: string;
  readonly visibility: VisibilityName;
  readonly default_branch: string | null;
  readonly avatar?: string | null;
}

/** What the groups around have set for projects that do not say; the nearest with a word on it decides. */
async function inherited(db: Reader, home: Namespace): Promise<{ branch: string | undefined; lfs: boolean }> {
  const above = home.kind === 'group' ? await settingsAbove(db, home.id) : [];
  const branch = above.map(({ settings }) => settings.default_branch).find((name) => typeof name === 'string');
  return { branch, lfs: !above.some(({ settings }) => settings.lfs_enabled === false) };
}

async function insertNewProject(
  { db, encryption }: Services,
  user: User,
  home: Namespace,
  wanted: NewProject,
  { visibility: asked, ...named }: Named,
): Promise<Project> {
  const now = Date.now();
  const row = {
    ...named,
    ...changeSettings({ settings: '{}' }, wanted),
    namespace_id: home.id,
    creator_id: user.id,
    description: wanted.description ?? null,
    runners_token: encryption.encrypt(`GR1348941${randomToken()}`, 'projects.runners_token'),
    last_activity_at: now,
    created_at: now,
    updated_at: now,
  };
  return db
    .write(async (trx) => {
      const { full_path, visibility } = await lockNamespace(trx, home.id);
      await checkQuota(trx, home, user);
      const topics = await topicsNamed(trx, cleanTopics(wanted.topics ?? wanted.tag_list ?? []));
      const project = await insertProject(trx, {
        ...row,
        visibility: newVisibility(asked, { visibility }),
        topics: JSON.stringify(topics.map(({ name }) => name)),
      });
      await claimProjectAddress(trx, `${full_path}/${named.path}`, project.id);
      if (home.owner_id !== null) await addOwner(trx, project.id, home.owner_id);
      await setTopics(trx, project.id, topics);
      await recordEvent(trx, { projectId: project.id, authorId: user.id, action: 'created', audience: 'project' });
      return project;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid(nameTaken) : error;
    });
}
