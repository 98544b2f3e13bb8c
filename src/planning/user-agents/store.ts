import type { Reader, Writer } from '../../platform/database/database.ts';
import type { UserAgentDetailsTable } from './tables.ts';

/** What was opened. */
export type Opened = { readonly issue_id: number } | { readonly snippet_id: number };

type Detail = Pick<UserAgentDetailsTable, 'user_agent' | 'ip_address'>;

export async function insertUserAgent(trx: Writer, opened: Opened, detail: Detail): Promise<void> {
  await trx
    .insertInto('user_agent_details')
    .values({ ...opened, ...detail })
    .execute();
}

export function findUserAgent(db: Reader, opened: Opened): Promise<Detail | undefined> {
  const details = db.selectFrom('user_agent_details').select(['user_agent', 'ip_address']);
  const found =
    'issue_id' in opened
      ? details.where('issue_id', '=', opened.issue_id)
      : details.where('snippet_id', '=', opened.snippet_id);
  return found.executeTakeFirst();
}
