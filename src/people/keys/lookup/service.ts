import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { publicViewOf } from '../../users/public.ts';
import { presentSshKey } from '../ssh/present.ts';
import { findByMd5, findBySha256, findSshKey } from '../ssh/store.ts';
import type { SshKeyRow } from '../tables.ts';

/** Returns a key by id with its user. */
export async function lookUpKey(services: Services, actor: Actor, id: number) {
  return present(services, actor, await findSshKey(services.db.read, id));
}

/** Returns a key by fingerprint: `SHA256:` and base64, or colon-separated MD5 hex. */
export async function lookUpFingerprint(services: Services, actor: Actor, fingerprint: string) {
  const { read } = services.db;
  // An unencoded plus sign arrives as a space.
  const text = fingerprint.replaceAll(' ', '+');
  if (/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(text)) {
    return present(services, actor, await findBySha256(read, text.replace(/=$/, '')));
  }
  const md5 = text.replace(/^MD5:/i, '').toLowerCase();
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){15}$/.test(md5)) throw BadRequest.plain('Failed to return the key');
  return present(services, actor, await findByMd5(read, md5));
}

async function present(services: Services, actor: Actor, key: SshKeyRow | undefined) {
  if (!key) throw new NotFound('Key');
  const user = key.user_id === null ? null : await publicViewOf(services, actor, key.user_id);
  if (key.deploy === 0) return { ...presentSshKey(key), user };
  const deployments = services.contributions('keys.deployments').map((find) => find(services.db.read, key.id));
  return {
    ...presentSshKey(key),
    user,
    fingerprint: key.fingerprint_md5,
    fingerprint_sha256: key.fingerprint_sha256,
    deploy_keys_projects: (await Promise.all(deployments)).flat(),
  };
}
