import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { readSshKey, type SshPublicKey } from '../../../people/keys/public.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';

/** Parameters of a new key. */
export interface NewDeployKey {
  readonly title: string;
  readonly key: string;
  readonly expires_at?: number;
  readonly can_push?: boolean;
}

const maxTitleLength = 255;

export function checkTitle(title: string): void {
  const problem = title.trim() === '' ? "can't be blank" : lengthProblem(title, maxTitleLength);
  if (problem !== undefined) throw new Invalid({ 'deploy_key.title': [problem] });
}

/** Parses and validates the key like user keys. */
export async function readKey({ settings }: Services, { title, key }: NewDeployKey): Promise<SshPublicKey> {
  const result = readSshKey(key, await settings.read());
  if ('problems' in result) throw new Invalid({ 'deploy_key.key': result.problems });
  checkTitle(title);
  return result.key;
}

/** The row of a new key. `deploy` is its kind, see `deploy/keys/service.ts`. */
export function rowOf(actor: Actor, params: NewDeployKey, key: SshPublicKey, deploy: number) {
  return {
    user_id: actor.user?.id ?? null,
    title: params.title.trim(),
    key: key.text,
    fingerprint_md5: key.fingerprintMd5,
    fingerprint_sha256: key.fingerprintSha256,
    usage_type: 'auth' as const,
    deploy,
    expires_at: params.expires_at ?? null,
    last_used_at: null,
    created_at: Date.now(),
  };
}
