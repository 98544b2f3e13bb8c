import Type, { type Static } from 'typebox';
import { SshKey } from '../../people/keys/public.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const X509Issuer = entity('X509Issuer', {
  id: Type.Integer(),
  subject: Type.String(),
  subject_key_identifier: Type.String(),
  crl_url: nullable(Type.String()),
});

/** The certificate of a signature. */
export const X509Certificate = entity('X509Certificate', {
  id: Type.Integer(),
  subject: Type.String(),
  subject_key_identifier: Type.String(),
  email: Type.String(),
  // Exceeds the integer range of JavaScript numbers.
  serial_number: Type.Unsafe<bigint>(Type.Integer()),
  certificate_status: Type.String(),
  x509_issuer: X509Issuer,
});
export type X509CertificateEntity = Static<typeof X509Certificate>;

/** A public key with which the server signs, or used to sign, its own commits. */
export const WebCommitKey = entity('WebCommitKey', { public_key: Type.String() });

const fields = {
  signature_type: Type.String(),
  verification_status: Type.String(),
  gpg_key_id: Type.Optional(nullable(Type.Integer())),
  gpg_key_primary_keyid: Type.Optional(nullable(Type.String())),
  gpg_key_user_name: Type.Optional(nullable(Type.String())),
  gpg_key_user_email: Type.Optional(nullable(Type.String())),
  gpg_key_subkey_id: Type.Optional(nullable(Type.Integer())),
  key: Type.Optional(nullable(SshKey)),
  x509_certificate: Type.Optional(nullable(X509Certificate)),
};

/** The signature of a tag; the fields depend on its type. */
export const TagSignature = entity('TagSignature', fields);
export type TagSignatureEntity = Static<typeof TagSignature>;

/** The signature of a commit. */
export const CommitSignature = entity('CommitSignature', { ...fields, commit_source: Type.String() });
export type CommitSignatureEntity = Static<typeof CommitSignature>;
