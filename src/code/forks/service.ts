import type { Actor } from '../../access/actor.ts';
import { claimProjectAddress } from '../../access/addresses.ts';
import { widestAllowed } from '../../access/application-settings/visibility.ts';
import { Visibility, type VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import { nameProblems } from '../../namespaces/projects/rules.ts';
import { changeSettings, settingsFor } from '../../namespaces/projects/settings/values.ts';
import { addOwner, countUp, insertProject, lockNamespace, lockProject } from '../../namespaces/projects/store.ts';
import { checkQuota, mayForkTo, mayHold, personalNamespaceOf } from '../../namespaces/projects/target-namespace.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Invalid, NotFound } from '../../platform/http/errors.ts';
import { randomToken } from '../../platform/secrets/tokens.ts';

export interface ForkOptions {
  readonly namespace?: string | undefined;
  readonly namespace_id?: number | undefined;
  readonly namespace_path?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: VisibilityName | undefined;
  readonly mr_default_target_self?: boolean | undefined;
  readonly branches?: string | undefined;
}

/** The settings that a fork takes over. */
const inherited = [
  'builds_access_level',
  'ci_config_path',
  'lfs_enabled',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'external_authorization_classification_label',
];

async function targetOf({ db }: Services, actor: Actor, wanted: ForkOptions): Promise<Namespace> {
  const named = wanted.namespace_id ?? wanted.namespace_path ?? wanted.namespace;
  const namespace =
    named === undefined
      ? await personalNamespaceOf(db.read, actor.user?.id ?? 0)
      : await lookUpNamespace(db.read, String(named));
  if (!namespace) throw new NotFound(named === undefined ? 'Target Namespace' : 'Namespace');
  if (!(await mayHold(db.read, actor, namespace))) throw new NotFound('Target Namespace');
  return namespace;
}

/** Copies a project to another namespace: the row now, its repository in the background. */
export async function forkProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  wanted: ForkOptions,
): Promise<Project> {
  const { project: source } = subject;
  const user = actor.user as User;
  const home = await targetOf(services, actor, wanted);
  if (!(await mayForkTo(services.db.read, source, home))) throw new NotFound('Target Namespace');
  await checkBranch(services, source, wanted.branches);
  const name = wanted.name ?? source.name;
  const path = wanted.path ?? source.path;
  const description = wanted.description ?? source.description;
  const problems = nameProblems({ name, path, description });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const asked = Visibility[wanted.visibility ?? 'public'];
  const visibility = widestAllowed(
    await services.settings.read(),
    actor,
    Math.min(source.visibility, home.visibility, asked),
  );
  return insertFork(services, user, home, source, { ...wanted, name, path, description, visibility });
}

async function checkBranch({ git }: Services, source: Project, branch: string | undefined): Promise<void> {
  if (branch === undefined) return;
  const tip = source.empty_repo === 1 ? null : await git.readRef(git.repository(source.id), `refs/heads/${branch}`);
  if (tip === null) throw new NotFound('Source Branch');
}

/** What was worked out for a fork from what was asked. */
interface NewFork {
  readonly name: string;
  readonly path: string;
  readonly description: string | null;
  readonly visibility: number;
}

async function insertFork(
  { db, queue, encryption }: Services,
  user: User,
  home: Namespace,
  source: Project,
  wanted: Omit<ForkOptions, 'visibility' | 'description'> & NewFork,
): Promise<Project> {
  const values = settingsFor(source);
  const kept = Object.fromEntries(inherited.map((name) => [name, values[name]]));
  const now = Date.now();
  const row = {
    ...changeSettings({ settings: '{}' }, { ...kept, mr_default_target_self: wanted.mr_default_target_self }),
    namespace_id: home.id,
    creator_id: user.id,
    name: wanted.name,
    path: wanted.path,
    description: wanted.description,
    default_branch: wanted.branches ?? source.default_branch,
    runners_token: encryption.encrypt(`GR1348941${randomToken()}`, 'projects.runners_token'),
    forked_from_id: source.id,
    fork_root_id: source.fork_root_id ?? source.id,
    import_status: 'scheduled',
    last_activity_at: now,
    created_at: now,
    updated_at: now,
  };
  return db
    .write(async (trx) => {
      const { full_path, visibility } = await lockNamespace(trx, home.id);
      await checkQuota(trx, home, user);
      const widest = Math.min(visibility, (await lockProject(trx, source.id)).visibility);
      const project = await insertProject(trx, { ...row, visibility: Math.min(widest, wanted.visibility) });
      await claimProjectAddress(trx, `${full_path}/${wanted.path}`, project.id);
      if (home.owner_id !== null) await addOwner(trx, project.id, home.owner_id);
      await countUp(trx, source.id, 'forks_count', 1);
      await recordEvent(trx, { projectId: project.id, authorId: user.id, action: 'created', audience: 'project' });
      const branches = wanted.branches === undefined ? {} : { branches: [wanted.branches] };
      await queue.enqueue(trx, 'projects.fork', { projectId: project.id, ...branches });
      return project;
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw new Conflict(
        ['Project namespace name', 'Name', 'Path'].map((attribute) => `${attribute} has already been taken`),
      );
    });
}
