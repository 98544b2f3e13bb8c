import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { deleteStarsOf } from '../stars/store.ts';
import { changeCreator } from '../store.ts';
import { deleteProject } from './service.ts';
import { personalProject } from './store.ts';

/** Projects in personal namespaces, which are deleted before the account. */
export const personalProjects = {
  async exist(db: Reader, userId: number): Promise<boolean> {
    return (await personalProject(db, userId)) !== undefined;
  },
  /** One transaction per project, because a namespace may have many and each deletion cascades to many tables. */
  async remove(services: Services, userId: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const project = await personalProject(services.db.read, userId);
      if (!project) return;
      await services.db.write((trx) => deleteProject(services, trx, project));
    }
  },
};

/** Removes a deleted user's stars and reassigns the creator of projects in other namespaces. */
export async function cleanUpAfterUser(
  _services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  await deleteStarsOf(trx, user.id);
  if (heir) await changeCreator(trx, user.id, heir.id);
}
