import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Parses the certificates of a PEM text; throws when one is malformed. */
export function readPem(text: string): X509Certificate[] {
  return (text.match(PEM) ?? []).map((block) => new X509Certificate(block));
}
