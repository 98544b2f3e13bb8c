import type { Services } from '../../access/services.ts';
import type { Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRows } from '../../platform/database/locks.ts';
import { clearTargets } from '../removal.ts';
import { measure } from './measure.ts';
import * as store from './store.ts';
import type { SnippetRow } from './tables.ts';

const atOnce = 500;

/** Removes snippets with all that was said about them, as far as they are there; their repositories follow once the rows are gone. False where none was. */
export async function removeSnippets(
  { announce, queue }: Services,
  trx: Writer,
  seen: readonly SnippetRow[],
  actorId: number,
  project: Project | null,
): Promise<boolean> {
  const ids = seen.map(({ id }) => id);
  const snippets = await lockRows(trx, 'snippets', ids, 'remove');
  for (const snippet of snippets)
    await announce(trx, 'snippet.changed', { action: 'delete', actorId, snippet, project });
  await clearTargets(trx, 'Snippet', ids);
  await store.deleteSnippets(trx, ids);
  await queue.enqueue(trx, 'snippets.clear', { repositories: snippets.map(({ repository }) => repository) });
  return snippets.length > 0;
}

/** The rows of a project's snippets go with it; their repositories are told of before. */
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

/** Personal snippets go with their author; those of projects are the heir's, or go too. */
export async function leaveSnippetsTo(
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

/** No snippet takes so long to be made. */
const unmadeAfterMs = 60 * 60_000;

/** To be called before a repository is made: it is removed later, unless by then a snippet has it. */
export async function promiseRemoval({ db, queue }: Services, repository: string): Promise<void> {
  const options = { dedupeKey: repository, runAt: Date.now() + unmadeAfterMs };
  await db.write((trx) => queue.enqueue(trx, 'snippets.clear', { repositories: [repository] }, options));
}

/** Takes that back, in the transaction in which the snippet comes into being. */
export async function takeBackRemoval({ queue }: Services, trx: Writer, repository: string): Promise<void> {
  await queue.withdraw(trx, 'snippets.clear', repository);
}

/** Removes what lies on disk of snippets that are gone, or that never came to be. */
export function snippetJobs(services: Services): void {
  const { db, queue, git } = services;
  queue.defineJob('snippets.measure', (job) => measure(services, job), { maxAttempts: 3 });
  queue.defineJob('snippets.clear', async ({ payload: { repositories } }) => {
    const kept = await store.repositoriesInUse(db.read, repositories);
    for (const key of repositories) if (!kept.has(key)) await git.remove(git.repository(key));
  });
}
