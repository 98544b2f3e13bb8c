import type { Services } from '../../access/services.ts';
import { findBySha256, presentSshKey } from '../../people/keys/public.ts';
import type { SignedObject } from '../../platform/git/signatures/signature.ts';
import { verifySshSignature } from '../../platform/git/signatures/ssh.ts';
import { commitEmailsOf, findEmailOwner } from './addresses.ts';
import { verifyPgp } from './pgp.ts';
import { rememberedStatus, type Signer, sshStatus } from './rules.ts';
import type { TagSignatureEntity } from './schema.ts';
import { findVerified, storeVerification } from './store.ts';
import type { VerifiedSignatureRow } from './tables.ts';
import type { VerificationResult } from './verification-result.ts';
import { verifyX509 } from './x509/service.ts';

/** Verifies an SSH signature against the current keys. */
async function judgeSsh(
  { db, git, externalUrl }: Services,
  signed: SignedObject,
  by: Signer,
): Promise<VerificationResult> {
  const { valid, key } = verifySshSignature(signed.payload, signed.signature);
  // Checked first: a user may have added the server's public key as their own.
  const bySystem = key !== undefined && git.signer?.isOwn(key.fingerprint) === true;
  const row = key && !bySystem ? await findBySha256(db.read, key.fingerprint) : undefined;
  // Deploy keys belong to no user, and authentication-only keys must not sign.
  const signer = row && row.deploy === 0 && row.usage_type !== 'auth' ? row : undefined;
  const status = sshStatus({
    valid,
    bySystem,
    key: signer && { userId: signer.user_id },
    committerId: await findEmailOwner(db.read, by.email, externalUrl),
  });
  return {
    status,
    fields: { key: signer ? presentSshKey(signer) : null },
    key: signer && { fingerprint: signer.fingerprint_sha256, userId: signer.user_id },
  };
}

/** Returns the current verification status of a commit or tag signature. */
export async function verifySignature(
  services: Services,
  oid: string,
  signed: SignedObject,
  by: Signer,
): Promise<TagSignatureEntity> {
  const signature_type = signed.type;
  if (signed.type === 'X509') return { signature_type, ...(await verifyX509(services, signed, by)) };
  const judgement = await (signed.type === 'PGP' ? verifyPgp : judgeSsh)(services, signed, by);
  const known = await findVerified(services.db.read, oid);
  if (judgement.status === 'verified' && !known) await storeVerified(services, oid, judgement);
  return { signature_type, ...(known ? await recheckVerified(services, known, judgement, by) : toEntity(judgement)) };
}

function toEntity({ status, fields }: VerificationResult) {
  return { verification_status: status, ...fields };
}

async function storeVerified({ db }: Services, oid: string, { key, fields }: VerificationResult): Promise<void> {
  if (!key) return;
  const row = {
    oid,
    user_id: key.userId,
    key_fingerprint: key.fingerprint,
    gpg_keyid: fields.gpg_key_primary_keyid ?? null,
    gpg_user_name: fields.gpg_key_user_name ?? null,
    gpg_user_email: fields.gpg_key_user_email ?? null,
    created_at: Date.now(),
  };
  await storeVerification(db, row);
}

/** Determines the status of a previously verified object, whose key may have been deleted. */
async function recheckVerified(
  { db, externalUrl }: Services,
  row: VerifiedSignatureRow,
  judgement: VerificationResult,
  by: Signer,
) {
  const owned = row.user_id === null ? undefined : await commitEmailsOf(db.read, row.user_id, externalUrl);
  const status = rememberedStatus({ status: judgement.status, owned, signer: by });
  const user =
    judgement.key || row.gpg_keyid === null
      ? {}
      : { gpg_key_user_name: row.gpg_user_name, gpg_key_user_email: row.gpg_user_email };
  return toEntity({ ...judgement, status, fields: { ...judgement.fields, ...user } });
}
