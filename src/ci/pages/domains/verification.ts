import type { Services } from '../../../access/services.ts';
import { textRecords } from '../../../platform/egress/text-records.ts';
import type { DomainRow } from '../tables.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60 * 1000;
/** Lifetime of a verification, and how long an unverified domain is kept. */
const verificationLifetime = 7 * day;
/** Domains are verified again this long before expiry, to tolerate nameserver outages. */
const renewalMargin = 3 * day;
const batchSize = 200;

/** State of a new domain, which is kept for a while without verification. */
export const unverifiedState = (now: number) => ({
  verified_at: null,
  enabled_until: null,
  remove_at: now + verificationLifetime,
});

/** Name and value of the DNS record that verifies a domain. */
export const recordOf = ({ domain, verification_code: code }: Pick<DomainRow, 'domain' | 'verification_code'>) => ({
  name: `_gitlab-pages-verification-code.${domain}`,
  value: `gitlab-pages-verification-code=${code}`,
});

async function isVerified({ config }: Services, row: DomainRow): Promise<boolean | undefined> {
  const { name, value } = recordOf(row);
  const found = await Promise.all([name, row.domain].map((one) => textRecords(one, config.pagesDns)));
  if (found.some((texts) => texts?.some((text) => text.trim() === value))) return true;
  return found.includes(undefined) ? undefined : false;
}

/** Verifies a domain in DNS and returns its new state. If DNS cannot be queried, nothing changes. */
export async function verify(services: Services, row: DomainRow): Promise<DomainRow> {
  const verified = await isVerified(services, row);
  if (verified === undefined) return row;
  const now = Date.now();
  const change = verified
    ? { verified_at: now, enabled_until: now + verificationLifetime, remove_at: null }
    : { verified_at: null, remove_at: row.remove_at ?? now + verificationLifetime };
  return services.db.write((trx) => store.updateDomain(trx, row.id, change));
}

/** Whether the domain is served. */
export async function isServed({ settings }: Services, { enabled_until: until }: DomainRow): Promise<boolean> {
  if (until !== null && until > Date.now()) return true;
  return !(await settings.read()).pages_domain_verification_enabled;
}

/** Verifies all domains that are unverified or about to expire, and removes those that were never verified in time. */
export async function verifyDue(services: Services, signal: AbortSignal): Promise<void> {
  if (!(await services.settings.read()).pages_domain_verification_enabled) return;
  for (let afterId = 0; !signal.aborted; ) {
    const due = await store.domainsDue(services.db.read, Date.now() + renewalMargin, afterId, batchSize);
    const last = due.at(-1);
    if (!last) break;
    for (const row of due) {
      if (signal.aborted) return;
      // The domain may have been deleted in the meantime.
      await verify(services, row).catch((error: unknown) =>
        services.log.debug({ err: error }, 'a domain was not verified'),
      );
    }
    afterId = last.id;
  }
  await services.db.write((trx) => store.deleteUnproven(trx, Date.now()));
}
