import { createHash } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { Certificate } from '../../../platform/git/signatures/x509/certificate.ts';
import type { X509Signature } from '../../../platform/git/signatures/x509/x509.ts';
import type { X509IssuerRow } from '../tables.ts';
import { findCertificate, insertCertificate, insertIssuer, type KnownCertificate } from './store.ts';

/**
 * Stores the certificate of a valid signature when first seen. Returns undefined if it lacks required attributes:
 * subject key ID, authority key ID and e-mail address.
 */
export async function recordCertificate(
  services: Services,
  { certificate, chain }: X509Signature,
): Promise<KnownCertificate | undefined> {
  const { db } = services;
  const { subjectKeyId, authorityKeyId } = certificate.extensions;
  const [email] = certificate.emails;
  if (subjectKeyId === undefined || authorityKeyId === undefined || email === undefined) return undefined;
  const issuerBytes = chain?.[1]?.x509.raw.toString('base64') ?? null;
  const known = await findCertificate(db.read, certificate.x509.fingerprint256);
  if (known && (issuerBytes === null || known.issuer.certificate !== null)) return known;
  return db.write(async (trx) => {
    const issuer = await recordIssuer(trx, certificate, authorityKeyId, issuerBytes);
    const row = {
      issuer_id: issuer.id,
      fingerprint: certificate.x509.fingerprint256,
      subject: certificate.subject,
      subject_key_identifier: subjectKeyId,
      email,
      serial_number: certificate.serial.toString(),
      revoked_at: null,
      created_at: Date.now(),
    };
    const added = await insertCertificate(trx, row);
    if (added && issuer.certificate !== null) await checkSoon(services, trx, issuer.id);
    return findCertificate(trx, row.fingerprint);
  });
}

/** The certificate may have been revoked before it was first seen. */
async function checkSoon({ queue }: Services, trx: Writer, issuerId: number): Promise<void> {
  await queue.enqueue(trx, 'signatures.check-issuer', { issuerId }, { dedupeKey: `${issuerId}` });
}

async function recordIssuer(
  trx: Writer,
  { issuer, issuerName, extensions }: Certificate,
  keyId: string,
  certificate: string | null,
): Promise<X509IssuerRow> {
  const { crlUrl = null } = extensions;
  const digest = createHash('sha256')
    .update(issuerName)
    .update(JSON.stringify([keyId, crlUrl]))
    .digest('hex');
  const row = {
    digest,
    subject: issuer,
    subject_key_identifier: keyId,
    crl_url: crlUrl,
    certificate,
    created_at: Date.now(),
  };
  return insertIssuer(trx, row);
}
