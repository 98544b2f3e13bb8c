import type { SignedInActor } from '../../access/actor.ts';
import { widestAllowed } from '../../access/application-settings/visibility.ts';
import { isPathTaken } from '../../access/namespaces/addresses.ts';
import { Visibility } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import {
  addProject,
  changeSettings,
  featureLevelsOf,
  incrementCounter,
  lockProject,
  mayCreateIn,
  nameProblems,
  nameTakenIn,
  personalNamespaceOf,
  settingsFor,
} from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Invalid, NotFound } from '../../platform/http/errors.ts';
import { mayForkTo } from './rules.ts';
import type { ForkOptions } from './schema.ts';

/**
 * Settings inherited by a fork, in addition to the feature access levels: features restricted to members stay
 * restricted.
 */
const inherited = [
  'ci_config_path',
  'lfs_enabled',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'external_authorization_classification_label',
];

async function targetNamespace({ db }: Services, actor: SignedInActor, options: ForkOptions): Promise<Namespace> {
  const named = options.namespace_id ?? options.namespace_path ?? options.namespace;
  const namespace =
    named === undefined
      ? await personalNamespaceOf(db.read, actor.user.id)
      : await lookUpNamespace(db.read, String(named));
  if (!namespace) throw new NotFound(named === undefined ? 'Target Namespace' : 'Namespace');
  if (!(await mayCreateIn(db.read, actor, namespace))) throw new NotFound('Target Namespace');
  return namespace;
}

/** Forks a project to a namespace. The row is created now, the repository is copied in the background. */
export async function forkProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  options: ForkOptions,
): Promise<Project> {
  const { project: source } = subject;
  const target = await targetNamespace(services, actor, options);
  if (!(await mayForkTo(services.db.read, source, target))) throw new NotFound('Target Namespace');
  await checkBranch(services, source, options.branches);
  const name = options.name ?? source.name;
  const path = options.path ?? source.path;
  const description = options.description ?? source.description;
  const problems = nameProblems({ name, path, description });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const asked = Visibility[options.visibility ?? 'public'];
  const visibility = widestAllowed(
    await services.settings.read(),
    actor,
    Math.min(source.visibility, target.visibility, asked),
  );
  return insertFork(services, actor.user, target, source, { ...options, name, path, description, visibility });
}

async function checkBranch({ git }: Services, source: Project, branch: string | undefined): Promise<void> {
  if (branch === undefined) return;
  const tip = source.empty_repo === 1 ? null : await git.readRef(git.repository(source.id), `refs/heads/${branch}`);
  if (tip === null) throw new NotFound('Source Branch');
}

/** The validated attributes of a new fork. */
interface NewFork {
  readonly name: string;
  readonly path: string;
  readonly description: string | null;
  readonly visibility: number;
}

function settingsOfFork(source: Project, { mr_default_target_self }: Pick<ForkOptions, 'mr_default_target_self'>) {
  const values = settingsFor(source);
  const copied = Object.fromEntries(inherited.map((name) => [name, values[name]]));
  return changeSettings({ settings: '{}' }, { ...featureLevelsOf(source), ...copied, mr_default_target_self });
}

async function insertFork(
  services: Services,
  user: User,
  target: Namespace,
  source: Project,
  options: Omit<ForkOptions, 'visibility' | 'description'> & NewFork,
): Promise<Project> {
  const { db, queue } = services;
  const columns = {
    name: options.name,
    path: options.path,
    description: options.description,
    default_branch: options.branches ?? source.default_branch,
    forked_from_id: source.id,
    fork_root_id: source.fork_root_id ?? source.id,
    import_status: 'scheduled',
  };
  return db
    .write(async (trx) => {
      const project = await addProject(services, trx, { creator: user, target }, async ({ visibility }) => {
        const locked = await lockProject(trx, source.id);
        const widest = Math.min(visibility, locked.visibility);
        return { ...columns, ...settingsOfFork(locked, options), visibility: Math.min(widest, options.visibility) };
      });
      await incrementCounter(trx, source.id, 'forks_count', 1);
      const branches = options.branches === undefined ? {} : { branches: [options.branches] };
      await queue.enqueue(trx, 'projects.fork', { projectId: project.id, ...branches });
      return project;
    })
    .catch(async (error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      const clashing = await clashes(db.read, target, options);
      throw new Conflict(clashing.map((attribute) => `${attribute} has already been taken`));
    });
}

/** Returns which attributes of a fork are taken; all of them if the conflicting project is gone by now. */
async function clashes(db: Reader, target: Namespace, { name, path }: NewFork): Promise<readonly string[]> {
  const named = await nameTakenIn(db, target.id, name);
  const placed = await isPathTaken(db, `${target.full_path}/${path}`);
  const all = named === placed;
  return [...(named || all ? ['Project namespace name', 'Name'] : []), ...(placed || all ? ['Path'] : [])];
}
