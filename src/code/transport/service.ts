import { type Actor, anonymous } from '../../access/actor.ts';
import { gitScopes } from '../../access/credentials/scopes.ts';
import { maintenanceRefusal } from '../../access/limits/maintenance.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { lookUpProject, type ProjectSubject, projectSubject, settingsOf } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { ensureRepository, httpCloneUrl, isBeingCopied } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { bindDeployCredential } from '../deploy/public.ts';
import { admitDownload } from '../download-limits/public.ts';
import { projectByAlias } from '../project-aliases/public.ts';
import { sharedBranches } from '../protected-refs/public.ts';
import { createByPush, creationNotice } from './create-by-push.ts';
import { GitRefusal } from './refusal.ts';

/** An operation on a repository. */
export type GitOperation = 'pull' | 'push';

/** Granted access to a repository. */
export interface GitAccess {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  readonly repo: Repository;
  readonly protocol: 'http' | 'ssh';
  /** Notices for the user's terminal. */
  readonly remarks: readonly string[];
}

export interface AccessRequest {
  readonly actor: Actor;
  readonly path: string;
  readonly operation: GitOperation;
  readonly protocol: 'http' | 'ssh';
  /** Whether a push may create the project. */
  readonly creates?: boolean;
  /** Limits the credential to this group. */
  readonly within?: Namespace;
}

/** Whether a credential is valid within a namespace. */
export function isWithinCredentialNamespace(
  { within }: Pick<AccessRequest, 'within'>,
  { full_path }: Pick<Namespace, 'full_path'>,
): boolean {
  return within === undefined || `${full_path}/`.toLowerCase().startsWith(`${within.full_path}/`.toLowerCase());
}

const readOnly = 'The repository is temporarily read-only. Please try again later.';
const copying = 'The repository is being copied. Please try again later.';

/** Authorizes a pull or push to the repository at a path. Throws `GitRefusal`. */
export async function openRepository(services: Services, request: AccessRequest): Promise<GitAccess> {
  const { path, operation, protocol } = request;
  const found = await projectAt(services.db.read, path);
  const remarks: string[] = [];
  await checkMaintenance(services, operation);
  // Checked by path, because the project does not exist yet.
  const creates = request.creates && path.includes('/') && isWithinCredentialNamespace(request, { full_path: path });
  const project = found?.project ?? (creates ? await createByPush(services, request) : undefined);
  const actor = await actorIn(services.db.read, request, project);
  const subject = project && actor && (await visible(services.db.read, actor, project));
  // Before a 404: git only asks for a password on a 401.
  if (!actor || !subject || !mayPull(actor, subject)) throw refusalOf(request.actor, subject);
  if (!isWithinCredentialNamespace(request, subject.namespace)) throw GitRefusal.notFound();
  checkScopes(actor, operation);
  await checkProtocol(services, subject, operation, protocol);
  if (operation === 'push') await checkPush(services, actor, subject);
  // A push before the copy of the fork source arrives would be lost, and a fetch would be empty.
  if (isBeingCopied(subject.project)) {
    throw operation === 'push' ? GitRefusal.forbidden(readOnly) : new GitRefusal(503, copying);
  }
  if (operation === 'pull' && !(await admitDownload(services, actor, subject))) throw refusalOf(actor, subject);
  if (operation === 'push') remarks.push(...creationNotice(services, subject.project));
  if (found?.former) remarks.push(...movedNotice(services, path, subject));
  return { actor, subject, repo: await ensureRepository(services, subject.project), protocol, remarks };
}

/** Finds a project by path; a single segment is an alias. */
async function projectAt(db: Reader, path: string) {
  if (path.includes('/')) return lookUpProject(db, path);
  const project = await projectByAlias(db, path);
  return project && { project, former: false };
}

/** Binds the credential to the project. Outside of its projects, a deploy credential has anonymous read access. */
async function actorIn(
  db: Reader,
  { actor, operation }: AccessRequest,
  project: Project | undefined,
): Promise<Actor | undefined> {
  if (!project || (actor.lfs && actor.lfs.projectId !== project.id)) return undefined;
  if (!actor.deploy) return actor;
  return (
    (await bindDeployCredential(db, actor, project)) ??
    (operation === 'pull' ? { ...anonymous, ip: actor.ip } : undefined)
  );
}

async function visible(db: Reader, actor: Actor, project: Project): Promise<ProjectSubject | undefined> {
  const subject = await projectSubject(db, actor, project);
  const isVisible = actor.deploy ? !subject.keptOut : subject.can('read_project');
  return isVisible ? subject : undefined;
}

function mayPull(actor: Actor, subject: ProjectSubject): boolean {
  if (actor.deploy) return subject.project.repository_access > 0;
  return subject.can('read_code');
}

function refusalOf(actor: Actor, subject: ProjectSubject | undefined): GitRefusal {
  if (actor.carrier === 'none') return GitRefusal.denied();
  return subject
    ? GitRefusal.forbidden('You are not allowed to download code from this project.')
    : GitRefusal.notFound();
}

/** Rejects pushes in maintenance mode. */
export async function checkMaintenance(services: Services, operation: GitOperation): Promise<void> {
  const refusal = operation === 'push' ? await maintenanceRefusal(services) : undefined;
  if (refusal !== undefined) throw GitRefusal.forbidden(refusal);
}

/** Checks the scopes of a credential. */
export function checkScopes(actor: Actor, operation: GitOperation): void {
  // SSH keys have no scopes, but an LFS token issued to a deploy key for downloads must not allow uploads.
  if (actor.carrier === 'none' || (actor.carrier === 'deploy-key' && !actor.lfs)) return;
  if (gitScopes(actor.scopes)[operation]) return;
  throw GitRefusal.forbidden(`You are not allowed to ${operation === 'pull' ? 'download' : 'upload'} code.`);
}

async function checkPush(services: Services, actor: Actor, subject: ProjectSubject): Promise<void> {
  if (actor.carrier === 'none') throw GitRefusal.denied();
  if (subject.archived) throw GitRefusal.forbidden("You can't push code to an archived project.");
  if (actor.carrier === 'deploy-key') {
    if (actor.deploy?.canPush) return;
    throw GitRefusal.forbidden('This deploy key does not have write access to this project.');
  }
  const byJob = actor.carrier === 'job' && !jobMayPush(actor, subject);
  if (subject.can('push_code') && !byJob && !actor.deploy) return;
  // The individual branches are checked once the pushed refs are known.
  if (byJob || (await sharedBranches(services, actor, subject)).size === 0) {
    throw GitRefusal.forbidden('You are not allowed to push code to this project.');
  }
}

/** Jobs may push only to their own project, and only if its settings allow it. */
function jobMayPush(actor: Actor, { project }: ProjectSubject): boolean {
  return actor.job?.projectId === project.id && settingsOf(project).ci_push_repository_for_job_token_allowed === true;
}

/** Checks the protocol restriction of the instance and the ancestor groups. */
export async function checkProtocol(
  { db, settings: instance }: Services,
  subject: Pick<ProjectSubject, 'namespace'> | null,
  operation: GitOperation,
  protocol: 'http' | 'ssh',
): Promise<void> {
  const namespace = subject?.namespace;
  const ancestors = namespace?.kind === 'group' ? await settingsWithAncestors(db.read, namespace.id) : [];
  for (const settings of [await instance.read(), ...ancestors.map((group) => group.settings)]) {
    const requiredProtocol = settings.enabled_git_access_protocol;
    if (requiredProtocol !== 'ssh' && requiredProtocol !== 'http') continue;
    if (requiredProtocol === protocol) continue;
    const verb = operation === 'pull' ? 'Pulling' : 'Pushing';
    throw GitRefusal.forbidden(`${verb} over ${protocol === 'ssh' ? 'SSH' : 'HTTP'} is not allowed.`);
  }
}

function movedNotice(services: Services, from: string, { fullPath }: ProjectSubject): string[] {
  return [
    `Project '${from}' was moved to '${fullPath}'.`,
    '',
    'Please update your Git remote:',
    '',
    `  git remote set-url origin ${httpCloneUrl(services, `${fullPath}.git`)}`,
  ];
}
