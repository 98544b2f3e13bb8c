import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { AwardRow } from './tables.ts';

export type Vote = 'upvotes' | 'downvotes';

/** Keeps the count of the votes on one row; with `at`, the row was changed then, by a vote or by another reaction. */
export type CountVote = (trx: Writer, id: number, vote: Vote | undefined, by: 1 | -1, at?: number) => Promise<void>;

/** What an area listens with whose things can be voted on by reactions: to each of them, and to those that went with a user. */
export function voteCounter(type: AwardRow['awardable_type'], count: CountVote, { isNews }: { isNews: boolean }) {
  const voteOf = ({ name }: AwardRow): Vote | undefined =>
    name === 'thumbsup' ? 'upvotes' : name === 'thumbsdown' ? 'downvotes' : undefined;
  return {
    async changed(
      _services: Services,
      trx: Writer,
      { action, award }: { readonly action: 'award' | 'revoke'; readonly award: AwardRow },
    ): Promise<void> {
      const vote = voteOf(award);
      if (award.awardable_type !== type || (vote === undefined && !isNews)) return;
      await count(trx, award.awardable_id, vote, action === 'award' ? 1 : -1, isNews ? Date.now() : undefined);
    },
    async dropped(
      _services: Services,
      trx: Writer,
      { awards }: { readonly awards: readonly AwardRow[] },
    ): Promise<void> {
      for (const award of awards) {
        const vote = award.awardable_type === type ? voteOf(award) : undefined;
        if (vote) await count(trx, award.awardable_id, vote, -1);
      }
    },
  };
}
