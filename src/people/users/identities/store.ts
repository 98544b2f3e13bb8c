import { sql } from 'kysely';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { normalizeDn } from '../../../platform/directory/dn.ts';

/** Sets the identity of a user at a provider; each user has at most one per provider. */
export async function setIdentity(
  { announce }: Pick<Services, 'announce'>,
  trx: Writer,
  user: number,
  provider: string,
  rawUid: string,
  by: User | null = null,
): Promise<void> {
  const extern_uid = normalizeExternUid(provider, rawUid);
  const before = await externUidOf(trx, user, provider);
  await trx
    .insertInto('identities')
    .values({ user_id: user, provider, extern_uid, created_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid }))
    .execute();
  await announce(trx, 'identity.set', { userId: user, provider, externUid: extern_uid, before, by });
}

async function externUidOf(db: Reader, user: number, provider: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('identities')
    .select('extern_uid')
    .where('user_id', '=', user)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row?.extern_uid;
}

/**
 * Normalizes an external uid: LDAP providers are named `ldapmain` and the like, and DNs are stored in normalized form.
 */
export const normalizeExternUid = (provider: string, rawUid: string): string =>
  provider.startsWith('ldap') ? (normalizeDn(rawUid) ?? rawUid) : rawUid;

/** Returns whether the identity existed. */
export async function deleteIdentity(
  { announce }: Pick<Services, 'announce'>,
  trx: Writer,
  user: number,
  provider: string,
  by: User | null = null,
): Promise<boolean> {
  const result = await trx
    .deleteFrom('identities')
    .where('user_id', '=', user)
    .where('provider', '=', provider)
    .executeTakeFirst();
  const found = Number(result.numDeletedRows) > 0;
  if (found) await announce(trx, 'identity.removed', { userId: user, provider, by });
  return found;
}

const identities = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', param.ids('ids'))
    .orderBy('id'),
);

export type IdentityRow = { user_id: number; provider: string; extern_uid: string };

/** Returns the identities of these users, keyed by user. */
export async function identitiesOf(db: Reader, ids: readonly number[]): Promise<Map<number, IdentityRow[]>> {
  return Map.groupBy(await identities.all(db, { ids }), (row) => row.user_id);
}

/** Finds the user with an identity. */
export async function userByIdentity(db: Reader, provider: string, extern_uid: string): Promise<User | undefined> {
  return db
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .selectAll('u')
    .where('i.provider', '=', provider)
    .where('i.extern_uid', '=', extern_uid)
    .executeTakeFirst();
}

/**
 * Whether an identity is the user's first one among these providers. Only the first counts; otherwise two directories
 * could keep overwriting each other's changes.
 */
export function isPrimary(alias: string, providers: readonly string[]) {
  const own = sql.ref(`${alias}.id`);
  const user = sql.ref(`${alias}.user_id`);
  return sql<boolean>`not exists (select 1 from identities earlier where earlier.user_id = ${user}
    and earlier.provider in (${sql.join(providers)}) and earlier.id < ${own})`;
}

/**
 * Returns the users with these identities, if they are their first ones among the given providers, keyed by external
 * uid.
 */
export async function usersByIdentity(
  db: Reader,
  provider: string,
  providers: readonly string[],
  externUids: readonly string[],
): Promise<Map<string, number>> {
  if (externUids.length === 0) return new Map();
  const rows = await db
    .selectFrom('identities as i')
    .select(['i.extern_uid', 'i.user_id'])
    .where('i.provider', '=', provider)
    .where('i.extern_uid', 'in', externUids)
    .where(isPrimary('i', providers))
    .execute();
  return new Map(rows.map((row) => [row.extern_uid, row.user_id]));
}

/** Returns a batch of users whose first identity among the given providers is at this provider, ordered by id. */
export function knownToProvider(
  db: Reader,
  provider: string,
  providers: readonly string[],
  after: number,
  limit: number,
) {
  return db
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .selectAll('u')
    .select('i.extern_uid')
    .where('i.provider', '=', provider)
    .where('i.user_id', '>', after)
    .where(isPrimary('i', providers))
    .orderBy('i.user_id')
    .limit(limit)
    .execute();
}
