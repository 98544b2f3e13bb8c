import type { Key, Signature } from 'openpgp';

/** A key or subkey by its names. */
export interface PgpKeyName {
  /** Upper-case hex. */
  readonly fingerprint: string;
  /** The last sixteen digits of the fingerprint. */
  readonly keyId: string;
}

/** A public key as a user hands it in. */
export interface PgpKey extends PgpKeyName {
  readonly userIds: readonly { readonly name: string; readonly email: string }[];
  readonly subkeys: readonly PgpKeyName[];
  readonly created: Date;
  readonly expires: Date | undefined;
  readonly revoked: boolean;
}

/** What a PGP signature says about one key. */
export interface PgpVerification {
  readonly valid: boolean;
  /** The key or subkey that signed, when it is part of the given key. */
  readonly signer: PgpKeyName | undefined;
  /** The signer is a subkey. */
  readonly bySubkey: boolean;
  /** When the signature says it was made. */
  readonly created: Date | undefined;
}

const MAX_KEY_BYTES = 1024 * 1024;

/** The ids of the keys that made a signature, to look their owners up by; undefined when it cannot be read. */
export async function pgpSignatureKeyIds(armored: string): Promise<string[] | undefined> {
  const signature = await readSignature(armored);
  return signature && Array.from(signature.packets, (packet) => packet.issuerKeyID.toHex().toUpperCase());
}

/** Reads an armored public key; undefined when it is none, or a private one. */
export async function parsePgpKey(armored: string): Promise<PgpKey | undefined> {
  const key = await readKey(armored);
  if (!key || key.isPrivate()) return undefined;
  const expires = await key.getExpirationTime();
  return {
    ...nameOf(key),
    userIds: key.users.flatMap(({ userID }) => (userID ? [{ name: userID.name, email: userID.email }] : [])),
    subkeys: key.subkeys.map(nameOf),
    created: key.getCreationTime(),
    expires: expires instanceof Date ? expires : undefined,
    revoked: await key.isRevoked(),
  };
}

/** Verifies a detached signature with one public key. Expiry is judged at the time when the signature was made. */
export async function verifyPgpSignature(
  payload: Buffer,
  armoredSignature: string,
  armoredKey: string,
): Promise<PgpVerification> {
  const signature = await readSignature(armoredSignature);
  const key = await readKey(armoredKey);
  const packet = signature?.packets[0];
  const nothing = { valid: false, signer: undefined, bySubkey: false, created: packet?.created ?? undefined };
  if (!signature || !key || !packet || signature.packets.length !== 1) return nothing;
  const [signer] = key.getKeys(packet.issuerKeyID);
  if (!signer) return nothing;
  const { createMessage, verify } = await import('openpgp');
  const message = await createMessage({ binary: new Uint8Array(payload) });
  const { signatures } = await verify({
    message,
    signature,
    verificationKeys: key,
    date: packet.created ?? new Date(),
    format: 'binary',
  });
  const valid = (await signatures[0]?.verified.catch(() => false)) ?? false;
  return { ...nothing, valid, signer: nameOf(signer), bySubkey: signer.getFingerprint() !== key.getFingerprint() };
}

function nameOf(key: { getFingerprint(): string; getKeyID(): { toHex(): string } }): PgpKeyName {
  return { fingerprint: key.getFingerprint().toUpperCase(), keyId: key.getKeyID().toHex().toUpperCase() };
}

async function readSignature(armoredSignature: string): Promise<Signature | undefined> {
  // Loaded when the first signature is looked at: the library is large.
  const openpgp = await import('openpgp');
  return openpgp.readSignature({ armoredSignature }).catch(() => undefined);
}

async function readKey(armoredKey: string): Promise<Key | undefined> {
  if (armoredKey.length > MAX_KEY_BYTES) return undefined;
  const openpgp = await import('openpgp');
  return openpgp.readKey({ armoredKey }).catch(() => undefined);
}
