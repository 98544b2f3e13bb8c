import { constants, type KeyObject, verify } from 'node:crypto';
import { AlgorithmIdentifier, RSASSAPSSParams } from 'pkijs';

/** Digests that are still secure. */
const DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Algorithms that imply their digest, with the key type. */
const SCHEMES: Readonly<Record<string, readonly [kind: string, digest: string]>> = {
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
};
/** Algorithms that name only the key type; the digest is given separately. */
const KINDS: Readonly<Record<string, string>> = { '1.2.840.113549.1.1.1': 'rsa', '1.2.840.10045.2.1': 'ec' };
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const ED25519 = '1.3.101.112';

const CURVES = new Set([
  ...['prime256v1', 'secp384r1', 'secp521r1'],
  ...['brainpoolP256r1', 'brainpoolP384r1', 'brainpoolP512r1'],
]);
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
const MAX_RSA_EXPONENT = 2n ** 64n;

/** A signature scheme. */
export interface Scheme {
  /** Key type. */
  readonly kind: string;
  /** Null when the algorithm has a built-in digest. */
  readonly digest: string | null;
  /** Salt length of RSA-PSS. */
  readonly salt?: number;
}

/** Returns the `createHash` name of a secure digest. */
export function digestName(oid: string): string | undefined {
  return DIGESTS[oid];
}

/** Parses an AlgorithmIdentifier; undefined for unknown or insecure algorithms such as SHA-1. */
export function schemeOf(algorithm: AlgorithmIdentifier, digestBeside?: string): Scheme | undefined {
  const oid = algorithm.algorithmId;
  const known = SCHEMES[oid];
  if (known) return { kind: known[0], digest: known[1] };
  if (oid === ED25519) return { kind: 'ed25519', digest: null };
  if (oid === RSA_PSS) return readPss(algorithm);
  const kind = KINDS[oid];
  const digest = DIGESTS[digestBeside ?? ''];
  return kind !== undefined && digest !== undefined ? { kind, digest } : undefined;
}

// Absent parameters mean SHA-1.
function readPss({ algorithmParams }: AlgorithmIdentifier): Scheme | undefined {
  const { hashAlgorithm, maskGenAlgorithm, saltLength } = new RSASSAPSSParams({ schema: algorithmParams });
  const digest = DIGESTS[hashAlgorithm.algorithmId];
  if (digest === undefined || maskGenAlgorithm.algorithmId !== MGF1) return undefined;
  const masking = new AlgorithmIdentifier({ schema: maskGenAlgorithm.algorithmParams });
  if (masking.algorithmId !== hashAlgorithm.algorithmId) return undefined;
  return saltLength >= 0 && saltLength <= 64 ? { kind: 'rsa', digest, salt: saltLength } : undefined;
}

/** Whether the key is long enough to be secure and short enough to be processed. */
export function isUsable(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ed25519') return true;
  if (key.asymmetricKeyType === 'ec') return CURVES.has(namedCurve);
  const isRsa = key.asymmetricKeyType === 'rsa' || key.asymmetricKeyType === 'rsa-pss';
  return isRsa && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS && publicExponent < MAX_RSA_EXPONENT;
}

/** Whether a key made the signature over the bytes. */
export function isSignedBy(key: KeyObject, scheme: Scheme, bytes: Buffer, value: Buffer): boolean {
  const kind = key.asymmetricKeyType === 'rsa-pss' ? 'rsa' : key.asymmetricKeyType;
  if (kind !== scheme.kind || !isUsable(key)) return false;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.salt };
  return verify(scheme.digest, bytes, scheme.salt === undefined ? key : { key, ...pss }, value);
}
