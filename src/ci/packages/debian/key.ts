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
