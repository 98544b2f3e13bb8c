import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { deleteStarsOf } from '../stars/store.ts';
import { changeCreator } from '../store.ts';
import { deleteProject } from './service.ts';
import { personalProject } from './store.ts';

/** The projects in users' own namespaces: they go before the account, as many as they are. */
export const personalProjects = {
  async exist(db: Reader, userId: number): Promise<boolean> {
    return (await personalProject(db, userId)) !== undefined;
  },
  /** One transaction a project: a namespace may hold many, and each takes its rows of many tables along. */
  async remove(services: Services, userId: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const project = await personalProject(services.db.read, userId);
      if (!project) return;
      await services.db.write((trx) => deleteProject(services, trx, project));
    }
  },
};

/** What a removed user did to projects of others. */
export async function forgetUser(
  _services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  await deleteStarsOf(trx, user.id);
  if (heir) await changeCreator(trx, user.id, heir.id);
}
