import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { X509CertificateRow, X509CertificatesTable, X509IssuerRow, X509IssuersTable } from '../tables.ts';

/** A certificate that is on record, with its issuer. */
export interface KnownCertificate {
  readonly certificate: X509CertificateRow;
  readonly issuer: X509IssuerRow;
}

export async function findCertificate(db: Reader, fingerprint: string): Promise<KnownCertificate | undefined> {
  const certificate = await db
    .selectFrom('x509_certificates')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (!certificate) return undefined;
  const issuer = await db
    .selectFrom('x509_issuers')
    .selectAll()
    .where('id', '=', certificate.issuer_id)
    .executeTakeFirstOrThrow();
  return { certificate, issuer };
}

/** Undefined when it is on record already. */
export function insertCertificate(
  trx: Writer,
  row: Insertable<X509CertificatesTable>,
): Promise<{ id: number } | undefined> {
  return trx
    .insertInto('x509_certificates')
    .values(row)
    .onConflict((on) => on.column('fingerprint').doNothing())
    .returning('id')
    .executeTakeFirst();
}

/** The issuer, which gets its own certificate once that is known. */
export function insertIssuer(trx: Writer, row: Insertable<X509IssuersTable>): Promise<X509IssuerRow> {
  return trx
    .insertInto('x509_issuers')
    .values(row)
    .onConflict((on) =>
      on.column('digest').doUpdateSet((eb) => ({
        certificate: eb.fn.coalesce('x509_issuers.certificate', 'excluded.certificate'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function findIssuer(db: Reader, id: number): Promise<X509IssuerRow | undefined> {
  return db.selectFrom('x509_issuers').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Some of the issuers that are vouched for and name a list of revoked certificates, after the one of a number. */
export function issuersWithList(db: Reader, after: number, limit: number): Promise<{ id: number }[]> {
  return db
    .selectFrom('x509_issuers')
    .select('id')
    .where('certificate', 'is not', null)
    .where('crl_url', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Some of an issuer's certificates that are not known to be revoked, after the one of a number. */
export function goodCertificates(db: Reader, issuerId: number, after: number, limit: number) {
  return db
    .selectFrom('x509_certificates')
    .select(['id', 'serial_number'])
    .where('issuer_id', '=', issuerId)
    .where('revoked_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function markRevoked(trx: Writer, ids: readonly number[], revoked_at: number): Promise<void> {
  await trx.updateTable('x509_certificates').set({ revoked_at }).where('id', 'in', ids).execute();
}
