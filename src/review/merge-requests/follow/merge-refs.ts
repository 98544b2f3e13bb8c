import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { RefUpdate } from '../../../platform/git/refs/refs.ts';
import { CooperativeWork } from '../merge/priority.ts';
import { mergeRefUpdate, setRefs } from '../mergeability/check.ts';
import { tipOf } from '../versions/collect.ts';
import { openIntoAfter } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The target of open merge requests has moved, so their merge refs have to be updated. */
    'merge-requests.merge-refs': { projectId: number; branch: string };
  }
}

/** Delay that limits how many merge commits a frequently updated branch causes. */
const updateDelayMs = 30_000;
/** Number of commits per pack and of refs per transaction. */
const atOnce = 100;

/** Enqueues an update of the merge refs for fetching. Refs requested through the API are updated immediately. */
export async function enqueueMergeRefs(
  { queue }: Services,
  trx: Writer,
  projectId: number,
  branch: string,
): Promise<void> {
  const options = { dedupeKey: `${projectId}:${branch}`, priority: -2, runAt: Date.now() + updateDelayMs };
  await queue.enqueue(trx, 'merge-requests.merge-refs', { projectId, branch }, options);
}

export async function writeMergeRefs(
  services: Services,
  { projectId, branch }: { projectId: number; branch: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, git } = services;
  const target = await tipOf(services, projectId, branch);
  if (target === null) return;
  const repo = git.repository(projectId);
  const yielding = new CooperativeWork(services);
  let after = 0;
  for (;;) {
    const some = await openIntoAfter(db.read, projectId, branch, after, atOnce);
    const writer = git.writer(repo);
    const updates: RefUpdate[] = [];
    for (const request of some) {
      signal.throwIfAborted();
      if (request.merge_status !== 'can_be_merged' || request.head_sha === null) continue;
      const update = await mergeRefUpdate(services, writer, request, request.head_sha, target);
      if (update) updates.push(update);
      await yielding.yieldIfDue(signal);
    }
    await writer.flush();
    await setRefs(services, repo, updates);
    const last = some.at(-1);
    if (some.length < atOnce || !last) return;
    after = last.id;
  }
}
