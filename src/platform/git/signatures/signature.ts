import { splitCommitSignature } from '../objects/commit.ts';
import { splitTagSignature } from '../objects/tag.ts';

/** Signature formats of git objects. */
export type SignatureType = 'PGP' | 'SSH' | 'X509';

/** A signature and the bytes it covers. */
export interface SignedObject {
  readonly type: SignatureType;
  /** Empty when it exceeds the size limit. */
  readonly signature: string;
  readonly payload: Buffer;
}

// Signatures are a few hundred bytes; this leaves room for certificates and keeps oversized input from the parsers.
const MAX_SIGNATURE_BYTES = 256 * 1024;

const HEADS: readonly (readonly [string, SignatureType])[] = [
  ['-----BEGIN PGP SIGNATURE-----', 'PGP'],
  ['-----BEGIN PGP MESSAGE-----', 'PGP'],
  ['-----BEGIN SSH SIGNATURE-----', 'SSH'],
  ['-----BEGIN SIGNED MESSAGE-----', 'X509'],
];

/** Extracts the signature of a raw commit or tag; undefined when there is none in a known format. */
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

/** Detects the signature format from its first line. */
export function signatureType(signature: string): SignatureType | undefined {
  const text = signature.trimStart();
  return HEADS.find(([head]) => text.startsWith(head))?.[1];
}
