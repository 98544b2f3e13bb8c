import { findUser } from '../../access/identify.ts';
import type { Services } from '../../access/services.ts';
import { deleteProject } from '../../namespaces/projects/public.ts';
import { removeAccount } from './remove-account.ts';

/** The background work of users: removing an account that has projects of its own. */
export function userJobs(services: Services): void {
  services.queue.defineJob('users.delete', async ({ payload, signal }) => {
    const user = await findUser(services.db.read, payload.userId);
    if (!user) return;
    await removeProjects(services, user.id, signal);
    await services.db.write((trx) => removeAccount(services, trx, user, payload.hard));
  });
}

/** One transaction a project: a namespace may hold many, and each takes its rows of many tables along. */
async function removeProjects(services: Services, user: number, signal: AbortSignal): Promise<void> {
  const { db } = services;
  for (;;) {
    signal.throwIfAborted();
    const project = await db.read
      .selectFrom('projects')
      .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      .selectAll('projects')
      .where('namespaces.owner_id', '=', user)
      .limit(1)
      .executeTakeFirst();
    if (!project) return;
    await db.write((trx) => deleteProject(services, trx, project));
  }
}
