import { anonymous } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { projectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { isAncestor } from '../../platform/git/history/ancestry.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { credentialsOf } from '../../platform/git/remote/address.ts';
import { type Connection, type RemoteSecrets, withConnection } from '../../platform/git/remote/connection.ts';
import { listRemote, pushRefs } from '../../platform/git/remote/exchange.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { compileUserRegex } from '../../platform/user-regex.ts';
import { uploadLfsObjects } from '../lfs/public.ts';
import { branchAccess } from '../protected-refs/public.ts';
import { planMirror } from './plan.ts';
import { mirrorTargets } from './rules.ts';
import { keyPurpose, urlPurpose } from './service.ts';
import type { RemoteMirrorRow } from './tables.ts';

/** A permanent failure that a retry would not fix. */
export class MirrorFailed extends Error {
  override readonly name = 'MirrorFailed';
}

/** The URL of a mirror and its credentials. */
export function secretsOf({ encryption }: Services, mirror: RemoteMirrorRow): { url: URL; secrets: RemoteSecrets } {
  const url = new URL(encryption.decrypt(mirror.encrypted_url, urlPurpose));
  const { username, password } = credentialsOf(url);
  const user = username === undefined ? {} : { username };
  const knownHosts = mirror.known_hosts;
  if (mirror.auth_method === 'ssh_public_key' && mirror.encrypted_private_key !== null) {
    const privateKey = encryption.decrypt(mirror.encrypted_private_key, keyPurpose);
    return { url, secrets: { ...user, privateKey, knownHosts } };
  }
  return { url, secrets: { ...user, ...(password === undefined ? {} : { password }), knownHosts } };
}

/** The result of a run that reached the mirror. */
interface Outcome {
  /** The host keys seen. */
  readonly knownHosts?: string;
  /** Why the mirror is not fully up to date. */
  readonly problem?: string;
}

/** Updates a mirror. */
export async function pushToMirror(services: Services, mirror: RemoteMirrorRow, signal: AbortSignal): Promise<Outcome> {
  const project = await findProject(services.db.read, mirror.project_id);
  const repo = services.git.repository(mirror.project_id);
  if (!project || !(await repositoryExists(repo))) return {};
  const { url, secrets } = secretsOf(services, mirror);
  const target = await services.egress.checkUrl(url.href, mirrorTargets);
  const lfsProblem = await uploadLargeFiles(services, mirror, url, signal);
  const { result, knownHosts } = await withConnection(target, secrets, (connection) =>
    pushAllRefs(services, { mirror, project, repo, connection, signal }),
  );
  const known = knownHosts === undefined ? {} : { knownHosts };
  return result.length === 0 ? known : { ...known, problem: [...lfsProblem, divergedText(result)].join('\n\n') };
}

// Sent first, so that pushed pointers refer to existing objects. On failure the refs are pushed anyway.
async function uploadLargeFiles(
  services: Services,
  mirror: RemoteMirrorRow,
  url: URL,
  signal: AbortSignal,
): Promise<string[]> {
  if (!/^https?:$/.test(url.protocol) || mirror.auth_method !== 'password') return [];
  try {
    await uploadLfsObjects(services, mirror.project_id, { url }, signal);
    return [];
  } catch (error) {
    if (signal.aborted) throw error;
    services.log.warn({ err: error, mirror: mirror.id }, 'failed to upload LFS objects to a mirror');
    return [`Error synchronizing LFS files:\n\n${error instanceof Error ? error.message : String(error)}`];
  }
}

function divergedText(refs: readonly string[]): string {
  return `Some refs have diverged and have not been updated on the remote:\n\n${refs.join('\n')}`;
}

interface Run {
  readonly mirror: RemoteMirrorRow;
  readonly project: Project;
  readonly repo: Repository;
  readonly connection: Connection;
  readonly signal: AbortSignal;
}

async function pushAllRefs(services: Services, run: Run): Promise<readonly string[]> {
  const { git } = services;
  const { mirror, project, repo, connection, signal } = run;
  const refs = [...(await git.listRefs(repo, 'refs/heads/')), ...(await git.listRefs(repo, 'refs/tags/'))];
  const local = new Map(refs.map(({ name, oid }) => [name, oid]));
  const remote = await listRemote(repo, connection, { signal });
  const objects = git.objects(repo);
  const plan = await planMirror(local, remote.refs, {
    includes: await branchFilter(services, mirror, project),
    keepDivergent: mirror.keep_divergent_refs === 1,
    defaultBranch: project.default_branch,
    isAncestor: async (theirs, ours) =>
      (await objects.commitId(theirs)) !== null && isAncestor(repo, theirs, ours, { signal }),
  });
  const rejected = await pushRefs(repo, connection, plan.updates, { signal });
  if (rejected.length > 0) {
    const lines = rejected.map(({ ref, reason }) => `${ref}: ${reason}`);
    throw new GitError('the mirror rejected some refs', { code: 1, stderr: lines.join('\n') });
  }
  return plan.diverged;
}

/** Returns the branch filter of a mirror: all branches, protected branches, or those matching an expression. */
export async function branchFilter(
  { db }: Services,
  mirror: Pick<RemoteMirrorRow, 'only_protected_branches' | 'mirror_branch_regex'>,
  project: Project,
): Promise<(branch: string) => boolean> {
  if (mirror.only_protected_branches === 1) {
    const access = await branchAccess(db.read, anonymous, await projectSubject(db.read, anonymous, project));
    return (branch) => access.isProtected(branch);
  }
  if (mirror.mirror_branch_regex === null) return () => true;
  const pattern = compileUserRegex(mirror.mirror_branch_regex);
  return (branch) => pattern.matcher(branch).find();
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof GitError || error instanceof EgressRefused;
}
