import type { Services } from '../../../access/services.ts';
import type { Project } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { closeWithoutFork } from './close.ts';
import { openAcrossAfter } from './store.ts';

/** Number of rows read at once. */
const batch = 100;

/** A project leaves its fork network: closes the open merge requests between it and other projects. */
export async function followUnlinkedFork(
  services: Services,
  trx: Writer,
  { project, userId }: { readonly project: Project; readonly userId: number },
): Promise<void> {
  for (const direction of ['from', 'into'] as const) {
    await closeAcross(services, trx, project.id, direction, () => userId);
  }
}

/** A project is being deleted: closes its open merge requests into others. Those into it are deleted with it. */
export async function followRemovedSource(
  services: Services,
  trx: Writer,
  { project }: { readonly project: Project },
): Promise<void> {
  await closeAcross(services, trx, project.id, 'from', (authorId) => project.marked_by_id ?? authorId);
}

async function closeAcross(
  services: Services,
  trx: Writer,
  projectId: number,
  direction: 'from' | 'into',
  closer: (authorId: number) => number,
): Promise<void> {
  for (let after = 0; ; ) {
    const requests = await openAcrossAfter(trx, direction, projectId, after, batch);
    for (const request of requests) await closeWithoutFork(services, trx, request, closer(request.author_id));
    const last = requests.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
