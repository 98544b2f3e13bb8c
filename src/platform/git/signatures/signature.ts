import { splitCommitSignature } from '../objects/commit.ts';
import { splitTagSignature } from '../objects/tag.ts';

/** The ways in which git objects are signed. */
export type SignatureType = 'PGP' | 'SSH' | 'X509';

/** A signature together with the bytes it covers. */
export interface SignedObject {
  readonly type: SignatureType;
  /** Empty when it is too long to be one. */
  readonly signature: string;
  readonly payload: Buffer;
}

// Signatures are a few hundred bytes; this leaves room for certificates and keeps parsers away from monsters.
const MAX_SIGNATURE_BYTES = 256 * 1024;

const HEADS: readonly (readonly [string, SignatureType])[] = [
  ['-----BEGIN PGP SIGNATURE-----', 'PGP'],
  ['-----BEGIN PGP MESSAGE-----', 'PGP'],
  ['-----BEGIN SSH SIGNATURE-----', 'SSH'],
  ['-----BEGIN SIGNED MESSAGE-----', 'X509'],
];

/** The signature of a commit or tag from its bytes as stored; undefined when it has none that git knows. */
export function signatureOf(type: 'commit' | 'tag', raw: Buffer): SignedObject | undefined {
  const parts = type === 'commit' ? splitCommitSignature(raw) : splitTagSignature(raw);
  const kind = parts ? signatureType(parts.signature) : undefined;
  if (!parts || !kind) return undefined;
  return {
    type: kind,
    payload: parts.payload,
    signature: parts.signature.length > MAX_SIGNATURE_BYTES ? '' : parts.signature,
  };
}

/** Tells signatures apart by their first line. */
export function signatureType(signature: string): SignatureType | undefined {
  const text = signature.trimStart();
  return HEADS.find(([head]) => text.startsWith(head))?.[1];
}
