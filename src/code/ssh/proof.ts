import ssh2, { type PublicKeyAuthContext } from 'ssh2';
import { parseSshKey } from '../../platform/git/signatures/ssh-key.ts';
import { isSignedWith } from '../../platform/git/signatures/ssh-verify.ts';
import { isCertificate, isValidSshSignature, readCertificate } from '../ssh-certificates/public.ts';

const userPresenceFlag = 1;

/** Whether a client has proven possession of a key by signing this connection's session data. */
export function provesKeyPossession(
  context: Pick<PublicKeyAuthContext, 'key' | 'blob' | 'signature' | 'hashAlgo'>,
): boolean {
  const { key, blob, signature, hashAlgo } = context;
  if (!blob || !signature) return false;
  if (isCertificate(key.data)) return certificateProves(key.data, blob, signature);
  if (key.algo.startsWith('sk-')) return tokenProves(key, blob, signature);
  const parsed = ssh2.utils.parseKey(key.data);
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
}

/** The library does not support security keys. It passes the signature, flags and counter unchanged. */
function tokenProves(key: PublicKeyAuthContext['key'], blob: Buffer, signature: Buffer): boolean {
  const parsed = parseSshKey(key.data);
  const token = signature.subarray(-5);
  const [flags = 0] = token;
  if (!parsed?.application || token.length < 5 || (flags & userPresenceFlag) === 0) return false;
  return isSignedWith(parsed, blob, { algorithm: key.algo, value: signature.subarray(0, -5), token });
}

/** The library does not support certificates either, and passes the signature unchanged. */
function certificateProves(data: Buffer, blob: Buffer, signature: Buffer): boolean {
  const certificate = readCertificate(data);
  return certificate !== undefined && isValidSshSignature(certificate.key, blob, signature);
}
