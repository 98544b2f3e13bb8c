import type { Services } from '../../access/services.ts';
import { findBySha256, presentSshKey } from '../../people/keys/public.ts';
import type { SignedObject } from '../../platform/git/signatures/signature.ts';
import { verifySshSignature } from '../../platform/git/signatures/ssh.ts';
import { ownerOf } from './addresses.ts';
import type { Judgement } from './judgement.ts';
import { type Signer, sshStatus } from './rules.ts';

/** What an SSH signature is worth today. */
export async function judgeSsh({ db, externalUrl }: Services, signed: SignedObject, by: Signer): Promise<Judgement> {
  const { valid, key } = verifySshSignature(signed.payload, signed.signature);
  const row = key && (await findBySha256(db.read, key.fingerprint));
  // Keys of deployments are nobody's, and a key that only signs in does not sign.
  const signer = row && row.deploy === 0 && row.usage_type !== 'auth' ? row : undefined;
  const status = sshStatus({
    valid,
    key: signer && { userId: signer.user_id },
    committerId: await ownerOf(db.read, by.email, externalUrl),
  });
  return {
    status,
    fields: { key: signer ? presentSshKey(signer) : null },
    key: signer && { fingerprint: signer.fingerprint_sha256, userId: signer.user_id },
  };
}
