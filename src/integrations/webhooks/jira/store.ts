import type { Writer } from '../../../platform/database/database.ts';

interface Mention {
  readonly project_id: number;
  readonly issue_key: string;
  readonly about: string;
}

/**
 * Claims a mention for a delivery: `mine` is new, `again` was claimed by an earlier attempt of the same delivery and
 * may be half done, `theirs` is reported already or claimed by another delivery.
 */
export async function claimMention(
  trx: Writer,
  mention: Mention,
  delivery: string,
): Promise<'mine' | 'again' | 'theirs'> {
  const inserted = await trx
    .insertInto('jira_mentions')
    .values({ ...mention, claimed_by: delivery, told_at: null })
    .onConflict((conflict) => conflict.columns(['project_id', 'issue_key', 'about']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return 'mine';
  const known = await ofMention(trx, mention).executeTakeFirst();
  return known?.told_at === null && known.claimed_by === delivery ? 'again' : 'theirs';
}

function ofMention(trx: Writer, { project_id, issue_key, about }: Mention) {
  return trx
    .selectFrom('jira_mentions')
    .select(['claimed_by', 'told_at'])
    .where('project_id', '=', project_id)
    .where('issue_key', '=', issue_key)
    .where('about', '=', about);
}

export async function markReported(trx: Writer, { project_id, issue_key, about }: Mention): Promise<void> {
  await trx
    .updateTable('jira_mentions')
    .set({ told_at: Date.now() })
    .where('project_id', '=', project_id)
    .where('issue_key', '=', issue_key)
    .where('about', '=', about)
    .execute();
}

/** Releases the unreported mentions of a failed delivery for other deliveries. */
export async function releaseMentions(trx: Writer, projectId: number, delivery: string): Promise<void> {
  await trx
    .deleteFrom('jira_mentions')
    .where('project_id', '=', projectId)
    .where('claimed_by', '=', delivery)
    .where('told_at', 'is', null)
    .execute();
}
