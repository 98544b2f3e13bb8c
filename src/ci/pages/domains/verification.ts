import type { Services } from '../../../access/services.ts';
import { textRecords } from '../../../platform/egress/text-records.ts';
import type { DomainRow } from '../tables.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60 * 1000;
/** How long a proof is good, and how long an unproven domain is kept. */
const goodFor = 7 * day;
/** Asked again this long before its end, so that a nameserver may be down for a while. */
const askedBefore = 3 * day;
const atOnce = 200;

/** Of a new domain: it is kept for a while without proof. */
export const unproven = (now: number) => ({ verified_at: null, enabled_until: null, remove_at: now + goodFor });

/** Where the record is that shows whose a domain is, and what stands in it. */
export const recordOf = ({ domain, verification_code: code }: Pick<DomainRow, 'domain' | 'verification_code'>) => ({
  name: `_gitlab-pages-verification-code.${domain}`,
  value: `gitlab-pages-verification-code=${code}`,
});

async function isProven({ config }: Services, row: DomainRow): Promise<boolean | undefined> {
  const { name, value } = recordOf(row);
  const found = await Promise.all([name, row.domain].map((one) => textRecords(one, config.pagesDns)));
  if (found.some((texts) => texts?.some((text) => text.trim() === value))) return true;
  return found.includes(undefined) ? undefined : false;
}

/** Looks whether a domain is theirs; what is known of it after. Where nobody can say, nothing changes. */
export async function verify(services: Services, row: DomainRow): Promise<DomainRow> {
  const proven = await isProven(services, row);
  if (proven === undefined) return row;
  const now = Date.now();
  const change = proven
    ? { verified_at: now, enabled_until: now + goodFor, remove_at: null }
    : { verified_at: null, remove_at: row.remove_at ?? now + goodFor };
  return services.db.write((trx) => store.updateDomain(trx, row.id, change));
}

/** Is it served? */
export async function isServed({ settings }: Services, { enabled_until: until }: DomainRow): Promise<boolean> {
  if (until !== null && until > Date.now()) return true;
  return !(await settings.read()).pages_domain_verification_enabled;
}

/** Asks anew of all domains whose proof is missing or about to end, and forgets those that were never proven. */
export async function verifyDue(services: Services, signal: AbortSignal): Promise<void> {
  if (!(await services.settings.read()).pages_domain_verification_enabled) return;
  for (let beyond = 0; !signal.aborted; ) {
    const due = await store.domainsDue(services.db.read, Date.now() + askedBefore, beyond, atOnce);
    const last = due.at(-1);
    if (!last) break;
    for (const row of due) {
      if (signal.aborted) return;
      // It may be deleted meanwhile.
      await verify(services, row).catch((error: unknown) =>
        services.log.debug({ err: error }, 'a domain was not verified'),
      );
    }
    beyond = last.id;
  }
  await services.db.write((trx) => store.deleteUnproven(trx, Date.now()));
}
