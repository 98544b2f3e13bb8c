import { actingFor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { createRunner } from '../../ci/runners/public.ts';
import { firstAdministrator } from './store.ts';

/** Makes the runner that a server starts with itself: for all projects, in the name of its first administrator. */
export async function makeOwnRunner(services: Services): Promise<string> {
  const administrator = await firstAdministrator(services.db.read);
  if (!administrator) throw new Error('there is no administrator in whose name a runner could be made');
  const made = { runner_type: 'instance_type', description: 'Built-in runner' } as const;
  return (await createRunner(services, actingFor(administrator), made)).token;
}
