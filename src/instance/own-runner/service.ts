import { actorOnBehalfOf } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { createRunner } from '../../ci/runners/public.ts';
import { firstAdministrator } from './store.ts';

/** Creates the runner that a server starts with: for all projects, owned by the first administrator. */
export async function createBuiltInRunner(services: Services): Promise<string> {
  const administrator = await firstAdministrator(services.db.read);
  if (!administrator) throw new Error('there is no administrator to create the built-in runner for');
  const attributes = { runner_type: 'instance_type', description: 'Built-in runner' } as const;
  return (await createRunner(services, actorOnBehalfOf(administrator), attributes)).token;
}
