import type { ProjectSubject } from '../../access/subjects.ts';
import type { Commit } from '../../platform/git/commit.ts';
import { type SignedObject, signatureOf } from '../../platform/git/signature.ts';
import {
  type PgpKey,
  type PgpVerification,
  parsePgpKey,
  pgpSignatureKeyIds,
  verifyPgpSignature,
} from '../../platform/git/signature-pgp.ts';
import { verifySshSignature } from '../../platform/git/signature-ssh.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Services } from '../../platform/services.ts';
import { findBySha256, findGpgSigner, type GpgKeyRow, presentSshKey } from '../keys/service.ts';
import { repositoryOf, requireCommit } from '../repository/service.ts';
import { ownedAddresses, ownerOf } from './addresses.ts';
import { pgpStatus, sshStatus } from './signature-rules.ts';
import type { SignatureEntity } from './signature-schema.ts';

/** How a commit is signed, and how far that can be trusted now; 404 when it is not. */
export async function signatureOfCommit(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<SignatureEntity> {
  const commit = await requireCommit(services, subject, sha);
  const raw = await services.git.objects(repositoryOf(services, subject)).raw(commit.oid);
  const signed = raw && signatureOf('commit', raw.data);
  if (!signed) throw new NotFound('Signature');
  const common = { signature_type: signed.type, commit_source: 'gitaly' };
  if (signed.type === 'PGP') return { ...common, ...(await verifyPgp(services, commit, signed)) };
  if (signed.type === 'SSH') return { ...common, ...(await verifySsh(services, commit, signed)) };
  // No authority is known here whose certificates could be believed.
  return { ...common, verification_status: 'unverified', x509_certificate: null };
}

async function verifyPgp({ db, externalUrl }: Services, commit: Commit, signed: SignedObject) {
  const ids = await pgpSignatureKeyIds(signed.signature);
  const [keyId] = ids ?? [];
  const row = keyId === undefined || ids?.length !== 1 ? undefined : await findGpgSigner(db.read, keyId);
  const key = row && (await parsePgpKey(row.key));
  const verification = row && (await verifyPgpSignature(signed.payload, signed.signature, row.key));
  const owned = row ? await ownedAddresses(db.read, row.user_id, externalUrl) : new Set<string>();
  const status = pgpStatus({
    signatures: ids?.length,
    key: row && { revoked: key?.revoked === true, emails: new Set(JSON.parse(row.emails) as string[]), owned },
    valid: verification?.valid === true,
    committerEmail: commit.committer.email,
  });
  return { verification_status: status, ...keyFields(row, key, verification, owned, keyId) };
}

/** The names of the key; of its user ids one that its owner has proven to own, if there is one. */
function keyFields(
  row: GpgKeyRow | undefined,
  key: PgpKey | undefined,
  verification: PgpVerification | undefined,
  owned: ReadonlySet<string>,
  keyId: string | undefined,
) {
  const ids = key?.userIds ?? [];
  const shown = ids.find(({ email }) => owned.has(email.toLowerCase())) ?? ids[0];
  return {
    gpg_key_id: row?.id ?? null,
    gpg_key_primary_keyid: row?.primary_keyid ?? verification?.signer?.keyId ?? keyId ?? null,
    gpg_key_user_name: shown?.name ?? null,
    gpg_key_user_email: shown?.email ?? null,
    gpg_key_subkey_id: null,
  };
}

async function verifySsh({ db, externalUrl }: Services, commit: Commit, signed: SignedObject) {
  const { valid, key } = verifySshSignature(signed.payload, signed.signature);
  const row = key && (await findBySha256(db.read, key.fingerprint));
  const mine = row && row.deploy === 0 ? row : undefined;
  const status = sshStatus({
    valid,
    key: mine && { userId: mine.user_id, maySign: mine.usage_type !== 'auth' },
    committerId: await ownerOf(db.read, commit.committer.email, externalUrl),
  });
  return { verification_status: status, key: mine ? presentSshKey(mine) : null };
}
