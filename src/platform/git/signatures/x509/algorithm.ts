import { constants, type KeyObject, verify } from 'node:crypto';
import { AlgorithmIdentifier, RSASSAPSSParams } from 'pkijs';

/** The digests that still prove something. */
const DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The algorithms that name their digest, and the kind of key they are for. */
const SCHEMES: Readonly<Record<string, readonly [kind: string, digest: string]>> = {
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
};
/** The algorithms that are the kind of key alone: the digest stands beside them. */
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

/** How a signature is made. */
export interface Scheme {
  /** The kind of key. */
  readonly kind: string;
  /** Null when the algorithm has one of its own. */
  readonly digest: string | null;
  /** The length of the salt of RSA-PSS. */
  readonly salt?: number;
}

/** The name of a digest that can be relied on, as `createHash` takes it. */
export function digestName(oid: string): string | undefined {
  return DIGESTS[oid];
}

/** Reads an AlgorithmIdentifier; undefined for what is unknown or proves nothing any more, such as SHA-1. */
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

/** Whether the key is long enough to be believed, and short enough to be worked with. */
export function isUsable(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ed25519') return true;
  if (key.asymmetricKeyType === 'ec') return CURVES.has(namedCurve);
  const isRsa = key.asymmetricKeyType === 'rsa' || key.asymmetricKeyType === 'rsa-pss';
  return isRsa && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS && publicExponent < MAX_RSA_EXPONENT;
}

/** Whether a key made a signature over these bytes. */
export function isSignedBy(key: KeyObject, scheme: Scheme, bytes: Buffer, value: Buffer): boolean {
  const kind = key.asymmetricKeyType === 'rsa-pss' ? 'rsa' : key.asymmetricKeyType;
  if (kind !== scheme.kind || !isUsable(key)) return false;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.salt };
  return verify(scheme.digest, bytes, scheme.salt === undefined ? key : { key, ...pss }, value);
}
