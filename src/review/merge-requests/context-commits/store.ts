import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import './tables.ts';

const ofRequest = statement((db, param: Param<{ id: number }>) =>
  db
    .selectFrom('merge_request_context_commits')
    .select('sha')
    .where('merge_request_id', '=', param('id'))
    .orderBy('created_at')
    .orderBy('sha'),
);

export async function contextShas(db: Reader, id: number): Promise<string[]> {
  return (await ofRequest.all(db, { id })).map(({ sha }) => sha);
}

export async function addContext(trx: Writer, id: number, shas: readonly string[]): Promise<void> {
  const created_at = Date.now();
  await trx
    .insertInto('merge_request_context_commits')
    .values(shas.map((sha) => ({ merge_request_id: id, sha, created_at })))
    .execute();
}

export async function removeContext(trx: Writer, id: number, shas: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('merge_request_context_commits')
    .where('merge_request_id', '=', id)
    .where('sha', 'in', [...shas])
    .execute();
}
