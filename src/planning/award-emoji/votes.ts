import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { AwardRow } from './tables.ts';

export type Vote = 'upvotes' | 'downvotes';

/** Adjusts the vote count of a row; `at`, if given, becomes its `updated_at`, for votes and other reactions alike. */
export type CountVote = (trx: Writer, id: number, vote: Vote | undefined, by: 1 | -1, at?: number) => Promise<void>;

/** Event handlers of an area that stores vote counts, for single reactions and for those deleted with a user. */
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
