import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { X509CertificateRow, X509CertificatesTable, X509IssuerRow, X509IssuersTable } from '../tables.ts';

/** A stored certificate with its issuer. */
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

/** Returns undefined if the certificate is already stored. */
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

/** Inserts an issuer, or adds its certificate once that is known. */
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

/** Lists trusted issuers with a revocation list, after an ID. */
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

/** Lists certificates of an issuer not known to be revoked, after an ID. */
export function unrevokedCertificates(db: Reader, issuerId: number, after: number, limit: number) {
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
