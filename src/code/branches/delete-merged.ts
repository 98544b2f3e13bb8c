import { type Actor, actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { branchAccess } from '../protected-refs/public.ts';
import { moveRefs, PushRefused } from '../pushes/public.ts';
import { type NamedRef, namedRefs, repositoryOf } from '../repository/public.ts';
import { mergedTips } from './merged-tips.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes all branches of a project that are merged into the default branch, on behalf of a user. */
    'branches.delete-merged': { projectId: number; userId: number };
  }
}

/** Returns which of the given branches are still in use, e.g. by an open merge request. */
export type BranchUse = (
  services: Services,
  projectId: number,
  branches: readonly string[],
) => Promise<ReadonlySet<string>>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'branches.use': BranchUse;
  }
}

const hour = 60 * 60 * 1000;
const batchSize = 500;

/** Defines the background jobs for branches. */
export function branchJobs(services: Services): void {
  services.queue.defineJob('branches.delete-merged', (job) => deleteMerged(services, job.payload, job.signal), {
    timeoutMs: hour,
  });
}

/** Queues the deletion of all branches that are merged into the default branch. */
export async function enqueueDeleteMerged(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
): Promise<void> {
  const payload = { projectId: subject.project.id, userId: actor.user.id };
  const dedupeKey = `${payload.projectId}:${payload.userId}`;
  await services.db.write((trx) => services.queue.enqueue(trx, 'branches.delete-merged', payload, { dedupeKey }));
}

async function deleteMerged(
  services: Services,
  { projectId, userId }: { projectId: number; userId: number },
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  const [user, found] = await Promise.all([findUser(db.read, userId), lookUpProject(db.read, String(projectId))]);
  if (!user || !found) return;
  const actor = actorOnBehalfOf(user);
  const subject = await projectSubject(db.read, actor, found.project);
  // The user may have lost the permission since the request.
  if (!subject.can('push_code')) return;
  const refs = await mergedBranches(services, actor, subject);
  for (const { name, oid } of refs) {
    signal.throwIfAborted();
    const changes = [{ ref: `refs/heads/${name}`, old: oid, new: null }];
    // A branch that moved or vanished meanwhile, or that a rule protects, is skipped.
    await moveRefs(services, { actor, subject, changes, protocol: 'web' }).catch((error: unknown) => {
      if (!(error instanceof PushRefused)) throw error;
    });
  }
}

async function mergedBranches(services: Services, actor: Actor, subject: ProjectSubject): Promise<NamedRef[]> {
  const repo = repositoryOf(services, subject);
  const { default_branch: defaultName, id } = subject.project;
  const tip = defaultName === null ? null : await services.git.readRef(repo, `refs/heads/${defaultName}`);
  if (tip === null) return [];
  const access = await branchAccess(services.db.read, actor, subject);
  const all = await namedRefs(services, repo, 'refs/heads/');
  const candidates = all.filter(({ name }) => name !== defaultName && !access.isProtected(name));
  const merged: NamedRef[] = [];
  for (let at = 0; at < candidates.length; at += batchSize) {
    const batch = candidates.slice(at, at + batchSize);
    const tips = batch.map((ref) => ref.oid);
    const mergedOids = await mergedTips(services.git.objects(repo), tip, tips);
    merged.push(...batch.filter((ref) => mergedOids.has(ref.oid)));
  }
  const inUse = await branchesInUse(
    services,
    id,
    merged.map((ref) => ref.name),
  );
  return merged.filter((ref) => !inUse.has(ref.name));
}

/** Returns which of the given branches any area still uses. */
async function branchesInUse(
  services: Services,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const sets = await Promise.all(
    services.contributions('branches.use').map((use) => use(services, projectId, branches)),
  );
  return new Set(sets.flatMap((set) => [...set]));
}
