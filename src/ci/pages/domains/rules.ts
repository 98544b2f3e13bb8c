import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Validates a custom domain. `taken` are the hosts the server uses itself, including their subdomains. */
export function domainProblem(domain: string, taken: readonly string[]): string | undefined {
  const labels = domain.split('.');
  if (domain.length > 253 || labels.length < 2 || isIP(domain) !== 0 || !labels.every((part) => label.test(part))) {
    return 'is not a valid domain name';
  }
  const reserved = taken.find((host) => domain === host || domain.endsWith(`.${host}`));
  return reserved === undefined ? undefined : `is reserved: ${reserved} is served by this server itself`;
}

/** A certificate with its key, or validation errors by attribute. */
export type Pair =
  | { readonly certificate: string; readonly key: string; readonly validUntil: number }
  | { readonly problems: Readonly<Record<string, readonly string[]>> };

const pem = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // OpenSSL reports unreadable input with various errors.
    return undefined;
  }
}

export function leafOf(certificate: string): X509Certificate | undefined {
  const [first] = pem.exec(certificate) ?? [];
  return first === undefined ? undefined : attempt(() => new X509Certificate(first));
}

/** Parses a certificate with its intermediates and the matching private key. */
export function readPair(certificate: string, key: string): Pair {
  const leaf = leafOf(certificate);
  const secret: KeyObject | undefined = attempt(() => createPrivateKey(key));
  const problems: Record<string, string[]> = {};
  if (!leaf) problems.certificate = ['must be a valid PEM certificate'];
  if (!secret) problems.key = ['must be a valid PEM private key'];
  else if (leaf && !leaf.checkPrivateKey(secret)) problems.key = ["doesn't match the certificate"];
  if (!leaf || Object.keys(problems).length > 0) return { problems };
  return { certificate, key, validUntil: leaf.validToDate.getTime() };
}

/** `/O=Example/CN=example.com`. */
export const subjectOf = ({ subject }: X509Certificate) => `/${subject.split('\n').join('/')}`;

/** Human-readable summary of a certificate. */
export function describe(leaf: X509Certificate): string {
  const lines = [
    `Serial Number: ${leaf.serialNumber}`,
    `Issuer: ${leaf.issuer.split('\n').join(', ')}`,
    `Not Before: ${leaf.validFrom}`,
    `Not After : ${leaf.validTo}`,
    `Subject: ${leaf.subject.split('\n').join(', ')}`,
    `X509v3 Subject Alternative Name: ${leaf.subjectAltName ?? ''}`,
  ];
  return `Certificate:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}
