import type { Services } from '../../access/services.ts';
import { findGpgSigners } from '../../people/keys/public.ts';
import { type PgpKey, parsePgpKey, pgpSignatureKeyIds, verifyPgpSignature } from '../../platform/git/signatures/pgp.ts';
import type { SignedObject } from '../../platform/git/signatures/signature.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { commitEmailsOf } from './addresses.ts';
import { pgpStatus, type Signer } from './rules.ts';
import type { VerificationResult } from './verification-result.ts';

/** Verifies a PGP signature against the current keys. */
export async function verifyPgp(services: Services, signed: SignedObject, by: Signer): Promise<VerificationResult> {
  const { db, externalUrl } = services;
  const ids = await pgpSignatureKeyIds(signed.signature);
  const keyId = ids?.length === 1 ? ids[0] : undefined;
  const signer = keyId === undefined ? undefined : await findSigner(services, signed, keyId);
  const owned = signer ? await commitEmailsOf(db.read, signer.row.user_id, externalUrl) : new Set<string>();
  const status = pgpStatus({
    signatures: ids?.length,
    key: signer && {
      revoked: signer.key?.revoked === true,
      emails: new Set(storedStrings(signer.row.emails)),
      owned,
    },
    valid: signer?.valid === true,
    committerEmail: by.email,
  });
  const shown = shownUser(signer?.key, owned);
  return {
    status,
    fields: {
      gpg_key_id: signer?.subkeyId === null ? signer.row.id : null,
      gpg_key_primary_keyid: keyId ?? null,
      gpg_key_user_name: shown?.name ?? null,
      gpg_key_user_email: shown?.email ?? null,
      gpg_key_subkey_id: signer?.subkeyId ?? null,
    },
    key: signer && { fingerprint: signer.row.fingerprint, userId: signer.row.user_id },
  };
}

/** Finds the key that made the signature, or else one with the same key ID. */
async function findSigner({ db }: Services, { payload, signature }: SignedObject, keyId: string) {
  const found = [];
  for (const { key: row, subkeyId } of await findGpgSigners(db.read, keyId)) {
    const { valid } = await verifyPgpSignature(payload, signature, row.key);
    found.push({ row, subkeyId, valid });
    if (valid) break;
  }
  const signer = found.find(({ valid }) => valid) ?? found[0];
  return signer && { ...signer, key: await parsePgpKey(signer.row.key) };
}

/** Picks a user ID of the key whose address its owner has confirmed, or else the first. */
function shownUser(key: PgpKey | undefined, owned: ReadonlySet<string>) {
  const ids = key?.userIds ?? [];
  return ids.find(({ email }) => owned.has(email.toLowerCase())) ?? ids[0];
}
