import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';
import { SshKey } from '../keys/schema.ts';

/** How a commit is signed: which fields there are depends on the type. */
export const CommitSignature = entity('CommitSignature', {
  signature_type: Type.String(),
  verification_status: Type.String(),
  gpg_key_id: Type.Optional(nullable(Type.Integer())),
  gpg_key_primary_keyid: Type.Optional(nullable(Type.String())),
  gpg_key_user_name: Type.Optional(nullable(Type.String())),
  gpg_key_user_email: Type.Optional(nullable(Type.String())),
  gpg_key_subkey_id: Type.Optional(nullable(Type.Integer())),
  key: Type.Optional(nullable(SshKey)),
  x509_certificate: Type.Optional(nullable(Type.Object({}))),
  commit_source: Type.String(),
});
export type SignatureEntity = Static<typeof CommitSignature>;
