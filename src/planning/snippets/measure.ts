import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';
import type { Job } from '../../platform/queue/job.ts';
import { findSnippet, setSize } from './store.ts';

/** Delay that combines several changes in a row into one measurement. */
const waitMs = 1000;

/** Enqueues a size measurement after an update; new snippets are measured before their row is inserted. */
export async function enqueueMeasure(
  { queue }: Services,
  trx: Writer,
  { action, snippet: { id } }: DomainEvents['snippet.changed'],
): Promise<void> {
  if (action !== 'update') return;
  await queue.enqueue(trx, 'snippets.measure', { id }, { dedupeKey: `${id}`, runAt: Date.now() + waitMs });
}

export async function measureSnippet(
  { db, git }: Services,
  { payload: { id }, signal }: Job<{ id: number }>,
): Promise<void> {
  const snippet = await findSnippet(db.read, id);
  const repo = snippet && git.repository(snippet.repository);
  if (!repo || !(await repositoryExists(repo))) return;
  const repository_size = await repositorySize(repo, { signal });
  await db.write((trx) => setSize(trx, id, repository_size));
}
