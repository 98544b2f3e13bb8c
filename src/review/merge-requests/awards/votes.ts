import type { Services } from '../../../access/services.ts';
import type { AwardRow } from '../../../planning/award-emoji/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { countVote } from '../store.ts';

function voteOf({ awardable_type, name }: AwardRow): 'upvotes' | 'downvotes' | undefined {
  if (awardable_type !== 'MergeRequest') return undefined;
  if (name === 'thumbsup') return 'upvotes';
  return name === 'thumbsdown' ? 'downvotes' : undefined;
}

/** Some reactions are votes. */
export async function countRequestVote(
  _services: Services,
  trx: Writer,
  { action, award }: { readonly action: 'award' | 'revoke'; readonly award: AwardRow },
): Promise<void> {
  const vote = voteOf(award);
  if (vote) await countVote(trx, award.awardable_id, vote, action === 'award' ? 1 : -1);
}

/** Votes that went with their user. */
export async function dropRequestVotes(
  _services: Services,
  trx: Writer,
  { awards }: { readonly awards: readonly AwardRow[] },
): Promise<void> {
  for (const award of awards) {
    const vote = voteOf(award);
    if (vote) await countVote(trx, award.awardable_id, vote, -1);
  }
}
