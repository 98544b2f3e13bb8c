import { hash } from 'node:crypto';
import type { Actor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { termsRefusal } from '../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { findBySha256, recordSshKeyUse, type SshKeyRow } from '../../people/keys/public.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { deployKeyActor } from '../deploy/public.ts';
import { certificateHolder, isCertificate } from '../ssh-certificates/public.ts';

/** The owner of an SSH key. */
export interface KeyHolder {
  /** Null when authenticated by a certificate. */
  readonly key: SshKeyRow | null;
  /** The group that trusts the certificate; access is limited to it. */
  readonly within?: Namespace;
  readonly actor: Actor;
  /** The name shown in the greeting. */
  readonly name: string;
}

/** Finds the owner of a public key or certificate; undefined if there is none or it may not be used to sign in. */
export async function findKeyHolder(services: Services, blob: Buffer, ip: string): Promise<KeyHolder | undefined> {
  if (isCertificate(blob)) {
    const named = await certificateHolder(services, blob, ip);
    if (named && (await termsRefusal(services, named.user)) !== undefined) return undefined;
    return named && { key: null, within: named.group, ...ownerFields(named.user) };
  }
  const fingerprint = `SHA256:${trimTrailing(hash('sha256', blob, 'base64'), '=')}`;
  const key = await findBySha256(services.db.read, fingerprint);
  if (!key || key.usage_type === 'signing') return undefined;
  if (key.expires_at !== null && key.expires_at <= Date.now()) return undefined;
  if (key.deploy > 0) return { key, actor: deployKeyActor(key), name: key.title };
  const user = await findUser(services.db.read, key.user_id);
  if (!user || accountRefusal(user, services.externalUrl) !== undefined) return undefined;
  if ((await termsRefusal(services, user)) !== undefined) return undefined;
  return { key, ...ownerFields(user) };
}

const ownerFields = (user: User): Pick<KeyHolder, 'actor' | 'name'> => ({
  actor: { user, carrier: 'token', scopes: new Set(['api']) },
  name: `@${user.username}`,
});

const minute = 60_000;

/** Records the use of a key, at most once a minute. */
export async function noteKeyUse({ db }: Services, key: SshKeyRow | null): Promise<void> {
  if (key === null) return;
  const now = Date.now();
  if (key.last_used_at !== null && now - key.last_used_at < minute) return;
  await db.write((trx) => recordSshKeyUse(trx, key.id, now));
}
