import type { Generated, Insertable, Selectable } from 'kysely';

/** Who issued certificates, as these say. */
export interface X509IssuersTable {
  id: Generated<number>;
  /** Of all that its certificates say about it. */
  digest: string;
  subject: string;
  subject_key_identifier: string;
  crl_url: string | null;
  /** The issuer's own, in base64, once a trusted chain led through it. */
  certificate: string | null;
  created_at: number;
}

/** Certificates that good signatures were made with, trusted or not. */
export interface X509CertificatesTable {
  id: Generated<number>;
  issuer_id: number;
  /** SHA-256. */
  fingerprint: string;
  subject: string;
  subject_key_identifier: string;
  email: string;
  /** In decimal: it has up to twenty bytes. */
  serial_number: string;
  revoked_at: number | null;
  created_at: number;
}

export type X509IssuerRow = Selectable<X509IssuersTable>;
export type X509CertificateRow = Selectable<X509CertificatesTable>;

/** Commits and tags that were verified once, so that they stay so when the key is deleted. */
export interface VerifiedSignaturesTable {
  oid: string;
  /** Whose key it was. */
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
