import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

/** Owner of a registration token; the instance if both are null. */
export interface Registered {
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

type Owner = { readonly project_id: number } | { readonly namespace_id: number };

/** Replaces the registration token of a project or group. */
export async function setRegistrationToken(trx: Writer, owner: Owner, token_digest: string): Promise<void> {
  const row = { project_id: null, namespace_id: null, ...owner };
  const column = row.project_id === null ? 'namespace_id' : 'project_id';
  await trx.deleteFrom('runner_registration_tokens').where(column, '=', row[column]).execute();
  await trx
    .insertInto('runner_registration_tokens')
    .values({ ...row, token_digest })
    .execute();
}

/** Replaces the registration token of the instance. */
export async function setInstanceToken(trx: Writer, token_digest: string): Promise<void> {
  await trx
    .insertInto('instance_registration_token')
    .values({ id: 1, token_digest })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ token_digest }))
    .execute();
}

const registered = statement((db, param: Param<{ digest: string }>) =>
  db
    .selectFrom('runner_registration_tokens')
    .select(['project_id', 'namespace_id'])
    .where('token_digest', '=', param('digest')),
);
const ofInstance = statement((db, param: Param<{ digest: string }>) =>
  db.selectFrom('instance_registration_token').select('id').where('token_digest', '=', param('digest')),
);

export async function findRegistration(db: Reader, digest: string): Promise<Registered | undefined> {
  const found = await registered.first(db, { digest });
  if (found) return found;
  return (await ofInstance.first(db, { digest })) && { project_id: null, namespace_id: null };
}
