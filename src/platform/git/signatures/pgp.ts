import type { Key, KeyID, Signature, SignaturePacket } from 'openpgp';

/** The identifiers of a key or subkey. */
export interface PgpKeyName {
  /** Upper-case hex. */
  readonly fingerprint: string;
  /** The last sixteen digits of the fingerprint. */
  readonly keyId: string;
}

/** A public key as submitted by a user. */
export interface PgpKey extends PgpKeyName {
  readonly userIds: readonly { readonly name: string; readonly email: string }[];
  readonly subkeys: readonly PgpKeyName[];
  readonly created: Date;
  readonly expires: Date | undefined;
  readonly revoked: boolean;
}

/** Result of verifying a PGP signature with one key. */
export interface PgpVerification {
  readonly valid: boolean;
  /** The key or subkey that signed, if it belongs to the given key. */
  readonly signer: PgpKeyName | undefined;
  /** Whether the signer is a subkey. */
  readonly bySubkey: boolean;
  /** Creation time stated in the signature. */
  readonly created: Date | undefined;
}

const MAX_KEY_BYTES = 1024 * 1024;

/** Maximum number of key parts checked. Each costs up to ten milliseconds, and a key can have thousands. */
const MAX_USERS = 5;
const MAX_SIGNATURES = 3;
const MAX_REVOCATIONS = 10;

// A renewed self-certification does not cover the time before it; like gpg, accept the key for that time as well.
const config = { allowInsecureVerificationWithReformattedKeys: true };

/** Returns the ids of the signing keys, for looking up their owners; undefined when the signature is unreadable. */
export async function pgpSignatureKeyIds(armored: string): Promise<string[] | undefined> {
  const signature = await readSignature(armored);
  return signature && Array.from(signature.packets, (packet) => packet.issuerKeyID.toHex().toUpperCase());
}

/** Parses an armored public key; undefined when it is invalid or a private key. */
export async function parsePgpKey(armored: string): Promise<PgpKey | undefined> {
  const key = await readKey(armored);
  if (!key || key.isPrivate()) return undefined;
  const userIds = key.users.flatMap(({ userID }) => (userID ? [{ name: userID.name, email: userID.email }] : []));
  limitUsers(key, new Date());
  const expires = await key.getExpirationTime();
  return {
    ...nameOf(key),
    userIds,
    subkeys: key.subkeys.map(nameOf),
    created: key.getCreationTime(),
    expires: expires instanceof Date ? expires : undefined,
    revoked: await key.isRevoked(),
  };
}

/**
 * Verifies a detached signature with one public key. It is valid if the key is valid now, as in gpg, or was when the
 * signature was created: a key that has expired since does not invalidate older signatures.
 */
export async function verifyPgpSignature(
  payload: Buffer,
  armoredSignature: string,
  armoredKey: string,
): Promise<PgpVerification> {
  const signature = await readSignature(armoredSignature);
  const key = await readKey(armoredKey);
  const packet = signature?.packets[0];
  const invalid = { valid: false, signer: undefined, bySubkey: false, created: packet?.created ?? undefined };
  if (!signature || !key || !packet || signature.packets.length !== 1) return invalid;
  const [signer] = key.getKeys(packet.issuerKeyID);
  if (!signer) return invalid;
  const verify = (date: Date) => isValidAt(payload, armoredSignature, armoredKey, date);
  const valid = (await verify(new Date())) || (packet.created !== null && (await verify(packet.created)));
  return { ...invalid, valid, signer: nameOf(signer), bySubkey: signer.getFingerprint() !== key.getFingerprint() };
}

// Both are parsed again: the library consumes a signature, and the key is reduced to what was valid at that time.
async function isValidAt(payload: Buffer, armoredSignature: string, armoredKey: string, date: Date): Promise<boolean> {
  const { createMessage, verify } = await import('openpgp');
  const signature = await readSignature(armoredSignature);
  const key = await readKey(armoredKey);
  const id = signature?.packets[0]?.issuerKeyID;
  if (!signature || !key || !id) return false;
  limitUsers(key, date);
  limitSubkeys(key, id, date);
  const message = await createMessage({ binary: new Uint8Array(payload) });
  try {
    const verifyOptions = { message, signature, verificationKeys: key, date, format: 'binary', config } as const;
    const { signatures } = await verify(verifyOptions);
    return (await signatures[0]?.verified) ?? false;
  } catch {
    // The error says why the signature is invalid or malformed.
    return false;
  }
}

/** Keeps only the primary user ids: they determine the expiry of the key. */
function limitUsers(key: Key, date: Date): void {
  for (const user of key.users) {
    user.selfCertifications = newest(user.selfCertifications, MAX_SIGNATURES, date);
    user.revocationSignatures = newest(user.revocationSignatures, MAX_SIGNATURES);
  }
  const rank = ({ selfCertifications }: Key['users'][number]) => {
    const last = selfCertifications.at(-1);
    return (last?.isPrimaryUserID ? Number.MAX_SAFE_INTEGER / 2 : 0) + (last?.created?.getTime() ?? 0);
  };
  key.users = key.users.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_USERS);
  key.revocationSignatures = newest(key.revocationSignatures, MAX_REVOCATIONS);
  // Missing in the library's types.
  const direct = key as Key & { directSignatures?: SignaturePacket[] };
  direct.directSignatures = newest(direct.directSignatures ?? [], MAX_SIGNATURES, date);
}

function limitSubkeys(key: Key, id: KeyID, date: Date): void {
  key.subkeys = key.subkeys.filter((subkey) => subkey.getKeyID().equals(id)).slice(0, 1);
  for (const subkey of key.subkeys) {
    subkey.bindingSignatures = newest(subkey.bindingSignatures, MAX_SIGNATURES, date);
    subkey.revocationSignatures = newest(subkey.revocationSignatures, MAX_REVOCATIONS);
  }
}

/** Returns the latest signatures up to a date, the newest last, where the library starts to look for a valid one. */
function newest(signatures: SignaturePacket[], count: number, until?: Date): SignaturePacket[] {
  const time = ({ created }: SignaturePacket) => created?.getTime() ?? 0;
  const candidates = until ? signatures.filter((signature) => time(signature) <= until.getTime()) : signatures;
  return candidates.toSorted((a, b) => time(a) - time(b)).slice(-count);
}

function nameOf(key: { getFingerprint(): string; getKeyID(): { toHex(): string } }): PgpKeyName {
  return { fingerprint: key.getFingerprint().toUpperCase(), keyId: key.getKeyID().toHex().toUpperCase() };
}

async function readSignature(armoredSignature: string): Promise<Signature | undefined> {
  // Loaded with the first signature, because the library is large.
  const openpgp = await import('openpgp');
  const signature = await openpgp.readSignature({ armoredSignature }).catch(() => undefined);
  // The library represents unknown packets as other types.
  const isWhole = signature?.packets.every((packet) => packet instanceof openpgp.SignaturePacket);
  return isWhole ? signature : undefined;
}

async function readKey(armoredKey: string): Promise<Key | undefined> {
  if (armoredKey.length > MAX_KEY_BYTES) return undefined;
  const openpgp = await import('openpgp');
  return openpgp.readKey({ armoredKey }).catch(() => undefined);
}
