import type { Selectable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { UserAgentDetailsTable } from './tables.ts';

/** The created item. */
export type Opened = { readonly issue_id: number } | { readonly snippet_id: number };

type Detail = Pick<UserAgentDetailsTable, 'user_agent' | 'ip_address'>;

const insertion = statement((db, param: Param<Selectable<UserAgentDetailsTable>>) =>
  db.insertInto('user_agent_details').values({
    issue_id: param('issue_id'),
    snippet_id: param('snippet_id'),
    user_agent: param('user_agent'),
    ip_address: param('ip_address'),
  }),
);

export async function insertUserAgent(trx: Writer, opened: Opened, detail: Detail): Promise<void> {
  await insertion.run(trx, { issue_id: null, snippet_id: null, ...opened, ...detail });
}

export function findUserAgent(db: Reader, opened: Opened): Promise<Detail | undefined> {
  const details = db.selectFrom('user_agent_details').select(['user_agent', 'ip_address']);
  const found =
    'issue_id' in opened
      ? details.where('issue_id', '=', opened.issue_id)
      : details.where('snippet_id', '=', opened.snippet_id);
  return found.executeTakeFirst();
}
