import { createHash } from 'node:crypto';
import { ContentInfo } from 'pkijs';
import { digestName, isSignedBy, schemeOf } from './algorithm.ts';
import { type Certificate, readCertificates } from './certificate.ts';
import { findChain } from './chain.ts';
import { type CmsSignature, parseCms } from './cms.ts';
import type { TrustStore } from './trust.ts';

/** A valid signature by certificate. */
export interface X509Signature {
  readonly certificate: Certificate;
  /** Signing time stated by the signer. */
  readonly signedAt: Date | undefined;
  /**
   * From the certificate to a trusted root; undefined when there is no such chain or the certificate does not allow
   * signing.
   */
  readonly chain: readonly Certificate[] | undefined;
}

/**
 * Verifies a signature over the payload; undefined when it is malformed or not made by the certificate that it names.
 */
export function verifyX509Signature(payload: Buffer, armored: string, trust: TrustStore): X509Signature | undefined {
  try {
    const cms = parseCms(armored);
    const certificates = readCertificates(cms.certificates);
    const certificate = certificates.find((candidate) => isNamed(cms, candidate));
    if (!certificate || !isMadeBy(payload, cms, certificate)) return undefined;
    const signedAt = cms.attributes?.signingTime;
    const { maySignMail, forMail, isUnknown } = certificate.extensions;
    const fit = signedAt && maySignMail && forMail && !isUnknown;
    return { certificate, signedAt, chain: fit ? findChain(certificate, certificates, trust, signedAt) : undefined };
  } catch {
    // Malformed structures, invalid keys or numbers out of range.
    return undefined;
  }
}

function isNamed({ signer }: CmsSignature, { extensions, issuerName, serial }: Certificate): boolean {
  if (!('keyId' in signer)) return signer.serial === serial && signer.issuer.equals(issuerName);
  return extensions.subjectKeyId?.replaceAll(':', '') === signer.keyId.toString('hex').toUpperCase();
}

function isMadeBy(payload: Buffer, cms: CmsSignature, { x509 }: Certificate): boolean {
  const { attributes, value } = cms;
  const digest = digestName(cms.digest);
  const scheme = schemeOf(cms.algorithm, cms.digest);
  if (!scheme || !digest) return false;
  if (!attributes) return isSignedBy(x509.publicKey, scheme, payload, value);
  const { messageDigest, contentType, bytes } = attributes;
  if (contentType !== ContentInfo.DATA || !createHash(digest).update(payload).digest().equals(messageDigest))
    return false;
  return isSignedBy(x509.publicKey, scheme, bytes, value);
}
