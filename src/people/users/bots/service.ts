import type { Writer } from '../../../platform/database/database.ts';
import { deleteTokensOf } from '../../tokens/public.ts';
import { blockProjectBots } from './store.ts';

/**
 * Blocks the bots of a deleted project and deletes their tokens. The bots remain as authors of their contributions
 * elsewhere.
 */
export async function retireProjectBots(trx: Writer, projectId: number): Promise<void> {
  await deleteTokensOf(trx, await blockProjectBots(trx, projectId));
}
