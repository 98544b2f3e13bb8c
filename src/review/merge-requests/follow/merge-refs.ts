import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { RefUpdate } from '../../../platform/git/refs/refs.ts';
import { Yielding } from '../merge/under-way.ts';
import { mergeRefUpdate, setRefs } from '../mergeability/check.ts';
import { tipOf } from '../versions/collect.ts';
import { openIntoAfter } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The target of open merge requests has moved, and what merging them would make is another commit now. */
    'merge-requests.merge-refs': { projectId: number; branch: string };
  }
}

/** A branch that moves with every minute is not followed by as many commits for each of its merge requests. */
const soon = 30_000;
/** So many commits go into one pack, and their refs into one transaction. */
const atOnce = 100;

/** Has the refs follow that git fetches; whoever asks for one through the API gets it right away. */
export async function enqueueMergeRefs(
  { queue }: Services,
  trx: Writer,
  projectId: number,
  branch: string,
): Promise<void> {
  const options = { dedupeKey: `${projectId}:${branch}`, priority: -2, runAt: Date.now() + soon };
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
  const yielding = new Yielding(services);
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
      await yielding.giveWay(signal);
    }
    await writer.flush();
    await setRefs(services, repo, updates);
    const last = some.at(-1);
    if (some.length < atOnce || !last) return;
    after = last.id;
  }
}
