import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Forbidden, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { KeyUsage, SshKeyRow } from '../tables.ts';
import { presentSshKey } from './present.ts';
import { keyExpiryProblem, readSshKey } from './rules.ts';
import type { SshKeyEntity } from './schema.ts';
import * as store from './store.ts';

export interface SshKeyInput {
  readonly title: string;
  readonly key: string;
  readonly usage_type: KeyUsage;
  readonly expires_at?: number;
}

const longestTitle = 255;

export async function listSshKeys(db: Database, user: User, slice: Slice): Promise<Page<SshKeyEntity>> {
  const { rows, total } = await store.listKeysOf(db.read, user.id, slice);
  return new Page(rows, total).map(presentSshKey);
}

export async function getSshKey(db: Database, user: User, id: number): Promise<SshKeyEntity> {
  return presentSshKey(await find(db, user, id));
}

async function find(db: Database, user: User, id: number): Promise<SshKeyRow> {
  const key = await store.findKeyOf(db.read, user.id, id);
  if (!key) throw new NotFound('Key');
  return key;
}

/** Adds a key to a user. A key identifies one account, so it must not be in use by another user or as a deploy key. */
export async function addSshKey(services: Services, user: User, input: SshKeyInput): Promise<SshKeyEntity> {
  // A key would let the holder of a revoked access token back in as its bot.
  if (user.kind === 'project_bot') throw new Forbidden();
  const title = input.title.trim();
  const problems: Record<string, string[]> = {};
  const wrong = title === '' ? "can't be blank" : lengthProblem(title, longestTitle);
  if (wrong !== undefined) problems.title = [wrong];
  const instance = await services.settings.read();
  const read = readSshKey(input.key, instance);
  const late = keyExpiryProblem(input.expires_at, instance);
  if ('problems' in read) problems.key = read.problems;
  else if (late !== undefined) problems.key = [late];
  if ('problems' in read || Object.keys(problems).length > 0) throw new Invalid(problems);
  const row = {
    user_id: user.id,
    title,
    key: read.key.text,
    fingerprint_md5: read.key.fingerprintMd5,
    fingerprint_sha256: read.key.fingerprintSha256,
    usage_type: input.usage_type,
    expires_at: input.expires_at ?? null,
    last_used_at: null,
    created_at: Date.now(),
  };
  try {
    const added = await services.db.write(async (trx) => {
      const key = await store.insertSshKey(trx, row);
      await services.announce(trx, 'key.added', { kind: 'ssh', key });
      return key;
    });
    return presentSshKey(added);
  } catch (error) {
    throw uniqueViolation(error) ? new Invalid({ fingerprint_sha256: ['has already been taken'] }) : error;
  }
}

/** `check` receives the creation time of the key and may refuse the deletion. */
export async function removeSshKey(
  services: Services,
  user: User,
  id: number,
  check: (changedAt: number) => void,
): Promise<void> {
  const key = await find(services.db, user, id);
  check(key.created_at);
  await removeKey(services, key);
}

/** Deletes a key of a user. */
export async function removeKey(services: Services, key: SshKeyRow): Promise<void> {
  await services.db.write(async (trx) => {
    await services.announce(trx, 'key.removed', { kind: 'ssh', key, revoked: false });
    await store.deleteSshKey(trx, key.id);
  });
}
