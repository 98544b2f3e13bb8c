import type { SignedInActor } from '../../access/actor.ts';
import { widestAllowed } from '../../access/application-settings/visibility.ts';
import { addressTaken } from '../../access/namespaces/addresses.ts';
import { Visibility } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import {
  addProject,
  changeSettings,
  countUp,
  featureLevelsOf,
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

/** The settings that a fork takes over, beside who has which feature: what was kept to members stays so. */
const inherited = [
  'ci_config_path',
  'lfs_enabled',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'external_authorization_classification_label',
];

async function targetNamespace({ db }: Services, actor: SignedInActor, wanted: ForkOptions): Promise<Namespace> {
  const named = wanted.namespace_id ?? wanted.namespace_path ?? wanted.namespace;
  const namespace =
    named === undefined
      ? await personalNamespaceOf(db.read, actor.user.id)
      : await lookUpNamespace(db.read, String(named));
  if (!namespace) throw new NotFound(named === undefined ? 'Target Namespace' : 'Namespace');
  if (!(await mayCreateIn(db.read, actor, namespace))) throw new NotFound('Target Namespace');
  return namespace;
}

/** Copies a project to another namespace: the row now, its repository in the background. */
export async function forkProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  wanted: ForkOptions,
): Promise<Project> {
  const { project: source } = subject;
  const target = await targetNamespace(services, actor, wanted);
  if (!(await mayForkTo(services.db.read, source, target))) throw new NotFound('Target Namespace');
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
    Math.min(source.visibility, target.visibility, asked),
  );
  return insertFork(services, actor.user, target, source, { ...wanted, name, path, description, visibility });
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

function settingsOfFork(source: Project, { mr_default_target_self }: Pick<ForkOptions, 'mr_default_target_self'>) {
  const values = settingsFor(source);
  const kept = Object.fromEntries(inherited.map((name) => [name, values[name]]));
  return changeSettings({ settings: '{}' }, { ...featureLevelsOf(source), ...kept, mr_default_target_self });
}

async function insertFork(
  services: Services,
  user: User,
  target: Namespace,
  source: Project,
  wanted: Omit<ForkOptions, 'visibility' | 'description'> & NewFork,
): Promise<Project> {
  const { db, queue } = services;
  const columns = {
    name: wanted.name,
    path: wanted.path,
    description: wanted.description,
    default_branch: wanted.branches ?? source.default_branch,
    forked_from_id: source.id,
    fork_root_id: source.fork_root_id ?? source.id,
    import_status: 'scheduled',
  };
  return db
    .write(async (trx) => {
      const project = await addProject(services, trx, { creator: user, target }, async ({ visibility }) => {
        const locked = await lockProject(trx, source.id);
        const widest = Math.min(visibility, locked.visibility);
        return { ...columns, ...settingsOfFork(locked, wanted), visibility: Math.min(widest, wanted.visibility) };
      });
      await countUp(trx, source.id, 'forks_count', 1);
      const branches = wanted.branches === undefined ? {} : { branches: [wanted.branches] };
      await queue.enqueue(trx, 'projects.fork', { projectId: project.id, ...branches });
      return project;
    })
    .catch(async (error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      const clashing = await clashes(db.read, target, wanted);
      throw new Conflict(clashing.map((attribute) => `${attribute} has already been taken`));
    });
}

/** Which of a fork's names stand in its way; all where whoever had them is gone by now. */
async function clashes(db: Reader, target: Namespace, { name, path }: NewFork): Promise<readonly string[]> {
  const named = await nameTakenIn(db, target.id, name);
  const placed = await addressTaken(db, `${target.full_path}/${path}`);
  const all = named === placed;
  return [...(named || all ? ['Project namespace name', 'Name'] : []), ...(placed || all ? ['Path'] : [])];
}
