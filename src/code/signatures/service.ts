import type { Services } from '../../access/services.ts';
import type { SignedObject } from '../../platform/git/signatures/signature.ts';
import { ownedAddresses } from './addresses.ts';
import type { Judgement } from './judgement.ts';
import { judgePgp } from './pgp.ts';
import { rememberedStatus, type Signer } from './rules.ts';
import type { TagSignatureEntity } from './schema.ts';
import { judgeSsh } from './ssh.ts';
import { findVerified, rememberVerified } from './store.ts';
import type { VerifiedSignatureRow } from './tables.ts';
import { judgeX509 } from './x509/service.ts';

/** How far the signature of a commit or tag can be trusted now, made in the name of whom it says. */
export async function judgeSignature(
  services: Services,
  oid: string,
  signed: SignedObject,
  by: Signer,
): Promise<TagSignatureEntity> {
  const signature_type = signed.type;
  if (signed.type === 'X509') return { signature_type, ...(await judgeX509(services, signed, by)) };
  const judgement = await (signed.type === 'PGP' ? judgePgp : judgeSsh)(services, signed, by);
  const known = await findVerified(services.db.read, oid);
  if (judgement.status === 'verified' && !known) await remember(services, oid, judgement);
  return { signature_type, ...(known ? await recall(services, known, judgement, by) : answer(judgement)) };
}

function answer({ status, fields }: Judgement) {
  return { verification_status: status, ...fields };
}

async function remember({ db }: Services, oid: string, { key, fields }: Judgement): Promise<void> {
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
  await rememberVerified(db, row);
}

/** The verdict on what was verified before: its key may be gone. */
async function recall({ db, externalUrl }: Services, row: VerifiedSignatureRow, judgement: Judgement, by: Signer) {
  const owned = row.user_id === null ? undefined : await ownedAddresses(db.read, row.user_id, externalUrl);
  const status = rememberedStatus({ status: judgement.status, owned, signer: by });
  const user =
    judgement.key || row.gpg_keyid === null
      ? {}
      : { gpg_key_user_name: row.gpg_user_name, gpg_key_user_email: row.gpg_user_email };
  return answer({ ...judgement, status, fields: { ...judgement.fields, ...user } });
}
