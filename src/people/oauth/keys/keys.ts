import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Services } from '../../../access/services.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { insertSigningKey, signingKeys } from './store.ts';
import type { SigningKeyRow } from './tables.ts';

const purpose = 'ci_signing_keys.private_key';
const makeKeyPair = promisify(generateKeyPair);

/** A public signing key in JWK format. */
export interface PublicKey {
  readonly kty: string;
  readonly kid: string;
  readonly e: string;
  readonly n: string;
  readonly use: string;
  readonly alg: string;
}

/** Returns all signing keys, newest first; the first is generated on demand. */
async function keys(services: Services): Promise<SigningKeyRow[]> {
  const { db, encryption } = services;
  const known = await signingKeys(db.read);
  if (known.length > 0) return known;
  const { privateKey } = await makeKeyPair('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return db.write(async (trx) => {
    // Servers started at the same time must not publish different keys.
    await acquireLock(trx, 'signing keys');
    const existing = await signingKeys(trx);
    if (existing.length > 0) return existing;
    const row = { kid: thumbprint(privateKey), private_key: encryption.encrypt(pem, purpose), created_at: Date.now() };
    return [await insertSigningKey(trx, row)];
  });
}

function publicPart(key: KeyObject): { e: string; n: string } {
  const { e = '', n = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { e, n };
}

/** RFC 7638 thumbprint. */
function thumbprint(key: KeyObject): string {
  const { e, n } = publicPart(key);
  return createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
}

export async function publicKeys(services: Services): Promise<PublicKey[]> {
  return (await keys(services)).map(({ kid, private_key }) => {
    const { e, n } = publicPart(createPrivateKey(services.encryption.decrypt(private_key, purpose)));
    return { kty: 'RSA', kid, e, n, use: 'sig', alg: 'RS256' };
  });
}

/** Returns a function that signs tokens with the newest key, loading the keys once. */
export async function signer(services: Services): Promise<(claims: object) => string> {
  const [newest] = await keys(services);
  if (!newest) throw new Error('there is no signing key');
  const key = createPrivateKey(services.encryption.decrypt(newest.private_key, purpose));
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = encode({ kid: newest.kid, typ: 'JWT', alg: 'RS256' });
  return (claims) => {
    const signed = `${header}.${encode(claims)}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
  };
}
