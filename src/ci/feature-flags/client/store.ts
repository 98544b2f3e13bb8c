import type { Selectable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { FeatureFlagClientsTable } from '../tables.ts';

type ClientRow = Selectable<FeatureFlagClientsTable>;

// Every application polls this every few seconds; the cached statement only queries again after a commit.
const clientOf = statement(
  (db, param: Param<{ project: number }>) =>
    db.selectFrom('feature_flag_clients').selectAll().where('project_id', '=', param('project')),
  { cached: true },
);

export function findClient(db: Reader, project: number): Promise<ClientRow | undefined> {
  return clientOf.first(db, { project });
}

/** Inserts the client unless it exists. Concurrent first requests get the same token. */
export async function ensureClient(trx: Writer, row: ClientRow): Promise<ClientRow> {
  await trx
    .insertInto('feature_flag_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .execute();
  return trx
    .selectFrom('feature_flag_clients')
    .selectAll()
    .where('project_id', '=', row.project_id)
    .executeTakeFirstOrThrow();
}

export async function replaceClient(trx: Writer, row: ClientRow): Promise<void> {
  const { token_digest, encrypted_token } = row;
  await trx
    .insertInto('feature_flag_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ token_digest, encrypted_token }))
    .execute();
}
