import type { Services } from '../../access/services.ts';
import type { Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRows } from '../../platform/database/locks.ts';
import { deleteTargetDependents } from '../removal.ts';
import { measureSnippet } from './measure.ts';
import * as store from './store.ts';
import type { SnippetRow } from './tables.ts';

const atOnce = 500;

/**
 * Deletes snippets and everything attached to them; their repositories are deleted after the transaction. Returns false
 * if none existed any more.
 */
export async function removeSnippets(
  { announce, queue }: Services,
  trx: Writer,
  seen: readonly SnippetRow[],
  actorId: number,
  project: Project | null,
): Promise<boolean> {
  const ids = seen.map(({ id }) => id);
  const snippets = await lockRows(trx, 'snippets', ids, 'remove');
  if (snippets.length === 0) return false;
  for (const snippet of snippets)
    await announce(trx, 'snippet.changed', { action: 'delete', actorId, snippet, project });
  await deleteTargetDependents(trx, 'Snippet', ids);
  await store.deleteSnippets(trx, ids);
  await queue.enqueue(trx, 'snippets.clear', { repositories: snippets.map(({ repository }) => repository) });
  return true;
}

/** Enqueues the deletion of the repositories of a project's snippets before their rows are deleted with the project. */
export async function clearProject(
  { queue }: Services,
  trx: Writer,
  { project }: { readonly project: Project },
): Promise<void> {
  for (let last = 0; ; ) {
    const found = await store.snippetsIn(trx, project.id, last, atOnce);
    if (found.length === 0) return;
    await queue.enqueue(trx, 'snippets.clear', { repositories: found.map(({ repository }) => repository) });
    last = found.at(-1)?.id ?? last;
  }
}

/** Deletes the personal snippets of a deleted user; project snippets are transferred to the heir, or deleted too. */
export async function transferSnippets(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  for (;;) {
    const found = await store.snippetsBy(trx, user.id, heir !== null, atOnce);
    if (found.length === 0) break;
    await removeSnippets(services, trx, found, user.id, null);
  }
  if (heir) await store.handOverSnippets(trx, user.id, heir.id);
}

/** Creating a snippet never takes this long. */
const cleanupDelayMs = 60 * 60_000;

/** Must be called before a repository is created: schedules its deletion, in case the snippet is never inserted. */
export async function scheduleCleanup({ db, queue }: Services, repository: string): Promise<void> {
  const options = { dedupeKey: repository, runAt: Date.now() + cleanupDelayMs };
  await db.write((trx) => queue.enqueue(trx, 'snippets.clear', { repositories: [repository] }, options));
}

/** Cancels the scheduled deletion, in the transaction that inserts the snippet. */
export async function cancelCleanup({ queue }: Services, trx: Writer, repository: string): Promise<void> {
  await queue.withdraw(trx, 'snippets.clear', repository);
}

/** Deletes repositories of deleted snippets and of those that were never inserted. */
export function snippetJobs(services: Services): void {
  const { db, queue, git } = services;
  queue.defineJob('snippets.measure', (job) => measureSnippet(services, job), { maxAttempts: 3 });
  queue.defineJob('snippets.clear', async ({ payload: { repositories } }) => {
    const kept = await store.repositoriesInUse(db.read, repositories);
    for (const key of repositories) if (!kept.has(key)) await git.remove(git.repository(key));
  });
}
