import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { type Certificate, readCertificates } from './certificate.ts';
import { readPem } from './pem.ts';

/** The certificates that are believed without anybody vouching for them. */
export class TrustStore {
  readonly #known = new Set<string>();
  /** By the name of the subject. Read in full when one is asked for: there are hundreds, and few are ever needed. */
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

  /** Those that could have issued a certificate, by their name. */
  issuersOf({ x509 }: Certificate): readonly Certificate[] {
    const found = this.#byName.get(x509.issuer) ?? [];
    const read = found.flatMap((one) => (Buffer.isBuffer(one) ? readCertificates([one]) : [one]));
    if (found.length > 0) this.#byName.set(x509.issuer, read);
    return read;
  }
}

/** The system's authorities, and those of a file in PEM. */
export async function loadTrustStore(file: string | undefined): Promise<TrustStore> {
  const own = file === undefined ? [] : readPem(await readFile(file, 'utf8'));
  // The same certificate is found in a bundle and by itself.
  const system = new Set(getCACertificates('system'));
  return new TrustStore([...own, ...readPem([...system].join('\n'))]);
}
