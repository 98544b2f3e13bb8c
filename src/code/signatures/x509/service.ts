import type { Services } from '../../../access/services.ts';
import type { SignedObject } from '../../../platform/git/signatures/signature.ts';
import type { TrustStore } from '../../../platform/git/signatures/x509/trust.ts';
import { perServer } from '../../../platform/per-server.ts';
import { findEmailOwner } from '../addresses.ts';
import { type Signer, x509Status } from '../rules.ts';
import type { X509CertificateEntity } from '../schema.ts';
import { recordCertificate } from './certificates.ts';
import type { KnownCertificate } from './store.ts';

/** The trusted root certificates; loaded with the first signature, as the system has hundreds of them. */
const trusted = perServer((_: Services): { store?: Promise<TrustStore> } => ({}));

async function trustStore(services: Services): Promise<TrustStore> {
  const { signatureCa } = services.config;
  const { loadTrustStore } = await import('../../../platform/git/signatures/x509/trust.ts');
  const cached = trusted(services);
  cached.store ??= loadTrustStore(signatureCa);
  return cached.store.catch((error: unknown) => {
    // It was readable at startup. Continue with the system's roots and retry with the next signature.
    services.log.error({ err: error, file: signatureCa }, 'failed to read the file of trusted certificate authorities');
    cached.store = undefined;
    return loadTrustStore(undefined);
  });
}

/** Verifies an X.509 signature. */
export async function verifyX509(services: Services, { payload, signature }: SignedObject, by: Signer) {
  const { db, externalUrl } = services;
  // Loaded lazily: most servers never see an X.509 signature.
  const { verifyX509Signature } = await import('../../../platform/git/signatures/x509/x509.ts');
  const found = verifyX509Signature(payload, signature, await trustStore(services));
  const known = found && (await recordCertificate(services, found));
  const status = x509Status({
    signer: by,
    certificate: found &&
      known && {
        trusted: found.chain !== undefined,
        revoked: known.certificate.revoked_at !== null,
        listed: known.issuer.crl_url !== null,
        emails: new Set(found.certificate.emails),
        signedAt: found.signedAt,
      },
    owned: (await findEmailOwner(db.read, by.email, externalUrl)) !== undefined,
  });
  return { verification_status: status, x509_certificate: known ? presentCertificate(known) : null };
}

function presentCertificate({ certificate, issuer }: KnownCertificate): X509CertificateEntity {
  return {
    id: certificate.id,
    subject: certificate.subject,
    subject_key_identifier: certificate.subject_key_identifier,
    email: certificate.email,
    serial_number: BigInt(certificate.serial_number),
    certificate_status: certificate.revoked_at === null ? 'good' : 'revoked',
    x509_issuer: {
      id: issuer.id,
      subject: issuer.subject,
      subject_key_identifier: issuer.subject_key_identifier,
      crl_url: issuer.crl_url,
    },
  };
}
