import type { Writer } from '../../platform/database/database.ts';
import type { SamlArrivalsTable } from './tables.ts';

export async function insertArrival(trx: Writer, arrival: SamlArrivalsTable): Promise<void> {
  await trx.insertInto('saml_arrivals').values(arrival).execute();
}

/** Returns the content of an arrival, which is deleted: it is good for one request. */
export async function takeArrival(trx: Writer, digest: string, now: number): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('saml_arrivals')
    .where('digest', '=', digest)
    .returning(['content', 'expires_at'])
    .executeTakeFirst();
  return row && row.expires_at > now ? row.content : undefined;
}

export async function deleteExpiredArrivals(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('saml_arrivals').where('expires_at', '<=', now).execute();
}
