import type { Services } from '../../access/services.ts';
import type { Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { deleteNotesOf } from '../notes/public.ts';
import * as store from './store.ts';
import type { SnippetRow } from './tables.ts';

const atOnce = 500;

/** Removes snippets with all that was said about them; their repositories follow once the rows are gone. */
export async function removeSnippets(
  { announce, queue }: Services,
  trx: Writer,
  snippets: readonly SnippetRow[],
  actorId: number,
  project: Project | null,
): Promise<void> {
  const ids = snippets.map(({ id }) => id);
  for (const snippet of snippets)
    await announce(trx, 'snippet.changed', { action: 'delete', actorId, snippet, project });
  await deleteNotesOf(trx, 'Snippet', ids);
  await store.deleteSnippets(trx, ids);
  await queue.enqueue(trx, 'snippets.clear', { repositories: snippets.map(({ repository }) => repository) });
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

/** Removes what lies on disk of snippets that are gone. */
export function snippetJobs({ queue, git }: Services): void {
  queue.defineJob('snippets.clear', async ({ payload }) => {
    for (const key of payload.repositories) await git.remove(git.repository(key));
  });
}
