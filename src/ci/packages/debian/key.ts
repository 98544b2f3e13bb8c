import type { Encryption } from '../../../platform/secrets/encryption.ts';

const purpose = 'debian_distributions.private_key';

/** The keys of a distribution: the public one armored, the private one encrypted. */
export interface SigningKey {
  readonly public_key: string;
  readonly private_key: string;
}

/** Creates the key that signs the releases of a distribution. */
export async function createSigningKey(encryption: Encryption, owner: string): Promise<SigningKey> {
  // Loaded with the first distribution, because the library is large.
  const { generateKey } = await import('openpgp');
  const { publicKey, privateKey } = await generateKey({
    // The form of Ed25519 keys that the gpgv of every supported Debian release understands.
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: owner }],
    subkeys: [],
    format: 'armored',
  });
  return { public_key: publicKey, private_key: encryption.encrypt(privateKey, purpose) };
}

/** Signs a release: within its text for `InRelease`, and detached for `Release.gpg`. */
export async function signRelease(
  encryption: Encryption,
  { private_key }: Pick<SigningKey, 'private_key'>,
  text: string,
) {
  const openpgp = await import('openpgp');
  const signingKeys = await openpgp.readPrivateKey({ armoredKey: encryption.decrypt(private_key, purpose) });
  const config = { preferredHashAlgorithm: openpgp.enums.hash.sha512 };
  const message = await openpgp.createCleartextMessage({ text });
  const signed_release = await openpgp.sign({ message, signingKeys, config });
  const binary = await openpgp.createMessage({ binary: Buffer.from(text) });
  const release_signature = await openpgp.sign({ message: binary, signingKeys, detached: true, config });
  return { signed_release, release_signature };
}
