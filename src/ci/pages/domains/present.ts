import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import type { PagesAddress } from '../addresses.ts';
import type { DomainRow } from '../tables.ts';
import { describe, leafOf, subjectOf } from './rules.ts';
import type { BasicPagesDomainEntity, PagesDomainEntity } from './schema.ts';

/** Domains without a certificate are served over HTTP. The server's port applies if the scheme matches the server's. */
function urlOf({ scheme: own, port }: PagesAddress, { domain, certificate }: DomainRow): string {
  const scheme = certificate === null ? 'http' : 'https';
  return `${scheme}://${domain}${scheme === own ? port : ''}`;
}

const stateOf = (row: DomainRow) => ({
  verified: row.verified_at !== null,
  verification_code: row.verification_code,
  enabled_until: instantOrNull(row.enabled_until),
  auto_ssl_enabled: row.auto_ssl_enabled === 1,
});

const hasExpired = ({ certificate_valid_until: until }: DomainRow) => until !== null && until <= Date.now();

export function presentDomain(place: PagesAddress, row: DomainRow): PagesDomainEntity {
  const leaf = row.certificate === null ? undefined : leafOf(row.certificate);
  return {
    domain: row.domain,
    url: urlOf(place, row),
    ...stateOf(row),
    ...(row.certificate !== null &&
      leaf && {
        certificate: {
          subject: subjectOf(leaf),
          expired: hasExpired(row),
          certificate: row.certificate,
          certificate_text: describe(leaf),
        },
      }),
  };
}

export function presentBasic(place: PagesAddress, row: DomainRow): BasicPagesDomainEntity {
  return {
    domain: row.domain,
    url: urlOf(place, row),
    project_id: row.project_id,
    ...stateOf(row),
    ...(row.certificate_valid_until !== null && {
      certificate_expiration: { expired: hasExpired(row), expiration: instant(row.certificate_valid_until) },
    }),
  };
}
