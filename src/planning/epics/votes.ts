import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { AwardRow } from '../award-emoji/public.ts';
import { countVote } from './store.ts';

function voteOf({ awardable_type, name }: AwardRow): 'upvotes' | 'downvotes' | undefined {
  if (awardable_type !== 'Epic') return undefined;
  if (name === 'thumbsup') return 'upvotes';
  return name === 'thumbsdown' ? 'downvotes' : undefined;
}

/** A reaction is news of the epic; some are votes on it. */
export async function countEpicVote(
  _services: Services,
  trx: Writer,
  { action, award }: { readonly action: 'award' | 'revoke'; readonly award: AwardRow },
): Promise<void> {
  if (award.awardable_type !== 'Epic') return;
  await countVote(trx, award.awardable_id, voteOf(award), action === 'award' ? 1 : -1, Date.now());
}

/** Votes that went with their user; that is no news of the epics. */
export async function dropEpicVotes(
  _services: Services,
  trx: Writer,
  { awards }: { readonly awards: readonly AwardRow[] },
): Promise<void> {
  for (const award of awards) {
    const vote = voteOf(award);
    if (vote) await countVote(trx, award.awardable_id, vote, -1);
  }
}
