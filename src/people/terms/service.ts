import { mustAcceptTerms, termsDigest, termsInForce } from '../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { changeUser } from '../users/public.ts';
import * as store from './store.ts';

/** The terms as shown to a user. */
export interface Terms {
  readonly text: string;
  readonly digest: string;
  /** Whether the user still has to accept them. */
  readonly isDue: boolean;
  readonly acceptedAt: number | undefined;
}

/** Returns the terms in force; undefined if there are none. */
export async function termsFor({ db, settings }: Services, user: User | null): Promise<Terms | undefined> {
  const present = await settings.read();
  const text = termsInForce(present);
  if (text === undefined) return undefined;
  const digest = termsDigest(text);
  const isDue = user !== null && mustAcceptTerms(present, user);
  const acceptedAt = user && !isDue ? await store.acceptedAt(db.read, user.id, digest) : undefined;
  return { text, digest, isDue, acceptedAt };
}

/** Records that a user accepted the terms they were shown; false if the terms have changed since. */
export async function acceptTerms(services: Services, user: User, read: string, ip: string): Promise<boolean> {
  const text = termsInForce(await services.settings.read());
  if (text === undefined || termsDigest(text) !== read) return false;
  const now = Date.now();
  await services.db.write(async (trx) => {
    const terms = await store.storeTerms(trx, read, text, now);
    await store.recordAcceptance(trx, { user_id: user.id, terms_id: terms, ip, accepted_at: now });
    await changeUser(services, trx, user, { accepted_terms: read });
    await services.announce(trx, 'terms.accepted', { user, digest: read });
  });
  return true;
}
