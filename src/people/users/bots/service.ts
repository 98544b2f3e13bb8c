import type { Writer } from '../../../platform/database/database.ts';
import { deleteTokensOf } from '../../tokens/public.ts';
import { blockProjectBots } from './store.ts';

/** The bots of a project's access tokens stay, as the authors of what they did elsewhere, but nothing acts for them. */
export async function retireProjectBots(trx: Writer, projectId: number): Promise<void> {
  await deleteTokensOf(trx, await blockProjectBots(trx, projectId));
}
