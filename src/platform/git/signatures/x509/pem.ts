import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a text in PEM; throws when one of them is none. */
export function readPem(text: string): X509Certificate[] {
  return (text.match(PEM) ?? []).map((block) => new X509Certificate(block));
}
