import type { Services } from '../../access/services.ts';
import { hasSigningKey } from '../../people/keys/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { logIds } from '../../platform/git/history/log.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { parseTag } from '../../platform/git/objects/tag.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import type { MovedRef, Push } from '../pushes/public.ts';
import { readSignedObject } from './read.ts';
import { verifySignature } from './service.ts';

type PushedRef = Pick<MovedRef, 'kind' | 'old' | 'commitCount'> & { readonly new: string };

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'signatures.pushed': { projectId: number; refs: readonly PushedRef[] };
  }
}

const maxRefs = 20;
const maxCommits = 200;

/**
 * Queues the verification of pushed signatures: those verified once stay verified after their key is deleted. Skipped
 * for users without a signing key and for the API, whose commits are signed by the server if at all.
 */
export async function scheduleVerification(
  { queue }: Services,
  trx: Writer,
  { projectId, userId, protocol, refs }: Push,
): Promise<void> {
  if (protocol === 'web' || userId === null || !(await hasSigningKey(trx, userId))) return;
  const pushed = refs.slice(0, maxRefs).flatMap(({ kind, old, new: tip, commitCount }) => {
    return tip === null ? [] : [{ kind, old, new: tip, commitCount }];
  });
  if (pushed.length > 0) await queue.enqueue(trx, 'signatures.pushed', { projectId, refs: pushed });
}

/** Defines the job that verifies pushed signatures. */
export function pushJobs(services: Services): void {
  services.queue.defineJob('signatures.pushed', ({ payload, signal }) => judgePushed(services, payload, signal), {
    maxAttempts: 3,
  });
}

async function judgePushed(
  services: Services,
  { projectId, refs }: { projectId: number; refs: readonly PushedRef[] },
  signal: AbortSignal,
): Promise<void> {
  const repo = services.git.repository(projectId);
  if (!(await repositoryExists(repo))) return;
  const objects = services.git.objects(repo);
  for (const { kind, old, new: tip, commitCount } of refs) {
    if (kind === 'tag') {
      await judgeTag(services, objects, tip);
      continue;
    }
    const revisions = old === null ? [tip] : [tip, `^${old}`];
    const limit = Math.min(commitCount, maxCommits);
    // The commits of a force-pushed branch may already have been garbage-collected.
    if (limit === 0 || !(await objects.commit(tip))) continue;
    for await (const oid of logIds(repo, { revisions, limit }, { signal })) await judgeCommit(services, objects, oid);
  }
}

async function judgeCommit(services: Services, objects: Objects, oid: string): Promise<void> {
  const commit = await objects.commit(oid);
  const signed = commit?.signature === undefined ? undefined : await readSignedObject(objects, 'commit', oid);
  if (commit && signed) await verifySignature(services, oid, signed, commit.committer);
}

async function judgeTag(services: Services, objects: Objects, oid: string): Promise<void> {
  const signed = await readSignedObject(objects, 'tag', oid);
  const tagger = signed && parseTag(oid, signed.raw).tagger;
  if (signed && tagger) await verifySignature(services, oid, signed, tagger);
}
