import type { Generated, Insertable, Selectable } from 'kysely';

/** Certificate issuers as named by their certificates. */
export interface X509IssuersTable {
  id: Generated<number>;
  /** Digest of the issuer attributes in its certificates. */
  digest: string;
  subject: string;
  subject_key_identifier: string;
  crl_url: string | null;
  /** The issuer's certificate in base64, once seen in a trusted chain. */
  certificate: string | null;
  created_at: number;
}

/** Certificates of valid signatures, trusted or not. */
export interface X509CertificatesTable {
  id: Generated<number>;
  issuer_id: number;
  /** SHA-256. */
  fingerprint: string;
  subject: string;
  subject_key_identifier: string;
  email: string;
  /** In decimal, as it has up to twenty bytes. */
  serial_number: string;
  revoked_at: number | null;
  created_at: number;
}

export type X509IssuerRow = Selectable<X509IssuersTable>;
export type X509CertificateRow = Selectable<X509CertificatesTable>;

/** Commits and tags verified once; they stay verified after their key is deleted. */
export interface VerifiedSignaturesTable {
  oid: string;
  /** The owner of the key. */
  user_id: number | null;
  key_fingerprint: string;
  gpg_keyid: string | null;
  gpg_user_name: string | null;
  gpg_user_email: string | null;
  created_at: number;
}

export type VerifiedSignatureRow = Selectable<VerifiedSignaturesTable>;
export type NewVerifiedSignature = Insertable<VerifiedSignaturesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    verified_signatures: VerifiedSignaturesTable;
    x509_issuers: X509IssuersTable;
    x509_certificates: X509CertificatesTable;
  }
}
