import { proxiedPath } from '../../../access/registry-address.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { instant } from '../../../platform/http/schema.ts';
import { totals } from '../cache/store.ts';
import { settingsRow } from '../pulls/store.ts';
import { secretPurpose } from '../pulls/upstream.ts';
import type { SettingsRow } from '../tables.ts';
import type { Change, DependencyProxyEntity } from './schema.ts';
import { putSettings } from './store.ts';

const defaults = { enabled: 1, identity: null, secret: null, ttl_enabled: 0, ttl: 90 } as const;
const maxLength = 255;
const maxTtlDays = 36_500;

/**
 * Returns the proxy settings of a group with cache statistics. Credentials and TTL policy are shown only to users who
 * can change them.
 */
export async function getProxy({ db, externalUrl }: Services, subject: GroupSubject): Promise<DependencyProxyEntity> {
  const { group } = subject;
  const [row, cached] = await Promise.all([settingsRow(db.read, group.id), totals(db.read, group.id)]);
  const { enabled, identity, ttl_enabled, ttl } = row ?? defaults;
  const ttl_policy = {
    enabled: ttl_enabled === 1,
    ttl,
    created_at: row ? instant(row.created_at) : null,
    updated_at: row ? instant(row.updated_at) : null,
  };
  return {
    enabled: enabled === 1,
    image_prefix: `${new URL(externalUrl).host}/${proxiedPath(group.full_path)}`,
    image_count: cached.manifests,
    blob_count: cached.blobs,
    total_size: cached.size,
    ...(subject.can('admin_dependency_proxy') && { identity, ttl_policy }),
  };
}

/** Updates the dependency proxy settings of a group. */
export async function changeProxy(
  services: Services,
  subject: GroupSubject,
  change: Change,
): Promise<DependencyProxyEntity> {
  const groupId = subject.group.id;
  await services.db.write(async (trx) => {
    await acquireLock(trx, `dependency proxy of ${groupId}`);
    const now = Date.now();
    const before = await settingsRow(trx, groupId);
    const row = applyChange(
      before ?? { ...defaults, group_id: groupId, created_at: now, updated_at: now },
      change,
      (plain) => services.encryption.encrypt(plain, secretPurpose),
    );
    await putSettings(trx, { ...row, updated_at: now });
  });
  return getProxy(services, subject);
}

const flag = (value: boolean | undefined, before: number) => (value === undefined ? before : Number(value));
const text = (value: string | undefined, before: string | null) => (value === undefined ? before : value || null);

/**
 * Applies a change to the settings. Throws if the result is invalid: username and password are only accepted together.
 */
export function applyChange(before: SettingsRow, change: Change, encrypt: (plain: string) => string): SettingsRow {
  const { ttl = before.ttl } = change;
  const identity = text(change.identity, before.identity);
  const secret = change.secret ? encrypt(change.secret) : text(change.secret, before.secret);
  const problems: Record<string, string[]> = {};
  if (ttl < 1) problems.ttl = ['must be greater than 0'];
  if (ttl > maxTtlDays) problems.ttl = [`must be less than or equal to ${maxTtlDays}`];
  for (const name of ['identity', 'secret'] as const) {
    const long = lengthProblem(change[name] ?? '', maxLength);
    if (long !== undefined) problems[name] = [long];
  }
  // In basic authentication a colon would end the username, and the rest would become part of the password.
  if (identity?.includes(':')) problems.identity = ['is invalid'];
  if (identity === null && secret !== null) problems.identity = ["can't be blank"];
  if (identity !== null && secret === null) problems.secret = ["can't be blank"];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const [enabled, ttl_enabled] = [flag(change.enabled, before.enabled), flag(change.ttl_enabled, before.ttl_enabled)];
  return { ...before, enabled, identity, secret, ttl_enabled, ttl };
}
