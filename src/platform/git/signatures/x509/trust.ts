import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { type Certificate, readCertificates } from './certificate.ts';
import { readPem } from './pem.ts';

/** The trusted root certificates. */
export class TrustStore {
  readonly #known = new Set<string>();
  /** Certificates by subject name. Parsed in full only when needed: there are hundreds, and few are ever used. */
  readonly #byName = new Map<string, (Buffer | Certificate)[]>();

  constructor(certificates: Iterable<X509Certificate>) {
    for (const { fingerprint256, subject, raw } of certificates) {
      if (this.#known.has(fingerprint256)) continue;
      this.#known.add(fingerprint256);
      this.#byName.set(subject, [...(this.#byName.get(subject) ?? []), raw]);
    }
  }

  has({ x509 }: Certificate): boolean {
    return this.#known.has(x509.fingerprint256);
  }

  /** Returns the trusted certificates whose name matches the issuer of a certificate. */
  issuersOf({ x509 }: Certificate): readonly Certificate[] {
    const found = this.#byName.get(x509.issuer) ?? [];
    const read = found.flatMap((one) => (Buffer.isBuffer(one) ? readCertificates([one]) : [one]));
    if (found.length > 0) this.#byName.set(x509.issuer, read);
    return read;
  }
}

/** Loads the system's CA certificates and those of a PEM file. */
export async function loadTrustStore(file: string | undefined): Promise<TrustStore> {
  const own = file === undefined ? [] : readPem(await readFile(file, 'utf8'));
  // The system store contains the same certificate both in a bundle and as a single file.
  const system = new Set(getCACertificates('system'));
  return new TrustStore([...own, ...readPem([...system].join('\n'))]);
}
