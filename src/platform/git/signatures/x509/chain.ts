import { isUsable } from './algorithm.ts';
import type { Certificate } from './certificate.ts';
import { satisfiesNameConstraints } from './constraints.ts';
import type { TrustStore } from './trust.ts';

const MAX_LENGTH = 8;
/** Certificates that name each other in circles could otherwise be tried in any number of orders. */
const MAX_ATTEMPTS = 64;

/**
 * Returns the path from a signer's certificate to a trusted root, each issued by the next; undefined when there is
 * none. The chain engine of pkijs is unsuitable: it loops forever when two certificates issued each other, gives up at
 * the first dead end, and checks neither path length nor key usage.
 */
export function findChain(
  signer: Certificate,
  intermediates: readonly Certificate[],
  trust: TrustStore,
  at: Date,
): readonly Certificate[] | undefined {
  let attempts = 0;
  const extend = (path: readonly Certificate[]): readonly Certificate[] | undefined => {
    const last = path.at(-1) ?? signer;
    if (trust.has(last)) return path;
    if (path.length >= MAX_LENGTH) return undefined;
    for (const issuer of [...trust.issuersOf(last), ...intermediates]) {
      if (path.includes(issuer) || !issuer.subjectName.equals(last.issuerName)) continue;
      if (++attempts > MAX_ATTEMPTS) return undefined;
      const found = mayIssue(issuer, path, at) && isIssuedBy(last, issuer) && extend([...path, issuer]);
      if (found) return found;
    }
    return undefined;
  };
  return isInForce(signer, at) ? extend([signer]) : undefined;
}

function isInForce({ x509, extensions }: Certificate, at: Date): boolean {
  return at >= x509.validFromDate && at <= x509.validToDate && extensions.forMail && !extensions.isUnknown;
}

/** Whether the certificate is a CA that is valid now, for mail, and for the certificates below it. */
function mayIssue(issuer: Certificate, path: readonly Certificate[], at: Date): boolean {
  const { constraints, pathLength } = issuer.extensions;
  const between = path.slice(1).filter(({ subjectName, issuerName }) => !subjectName.equals(issuerName)).length;
  if (!issuer.x509.ca || !isInForce(issuer, at) || between > pathLength) return false;
  return !constraints || path.slice(0, 1).every((signer) => satisfiesNameConstraints(constraints, signer));
}

function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  const { publicKey } = issuer.x509;
  if (!certificate.scheme || !isUsable(publicKey) || !certificate.x509.checkIssued(issuer.x509)) return false;
  return certificate.x509.verify(publicKey);
}
