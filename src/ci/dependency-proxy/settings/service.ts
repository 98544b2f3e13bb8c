import { proxiedPath } from '../../../access/registry-address.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import { instant } from '../../../platform/http/schema.ts';
import { totals } from '../cache/store.ts';
import { settingsRow } from '../pulls/store.ts';
import { secretPurpose } from '../pulls/upstream.ts';
import type { SettingsRow } from '../tables.ts';
import type { Change, DependencyProxyEntity } from './schema.ts';
import { putSettings } from './store.ts';

const usual = { enabled: 1, identity: null, secret: null, ttl_enabled: 0, ttl: 90 } as const;
const longest = 255;
const longestTtl = 36_500;

/** The proxy of a group: how it is set, to whom may set it, and how much it keeps. */
export async function getProxy({ db, externalUrl }: Services, subject: GroupSubject): Promise<DependencyProxyEntity> {
  const { group } = subject;
  const [row, kept] = await Promise.all([settingsRow(db.read, group.id), totals(db.read, group.id)]);
  const { enabled, identity, ttl_enabled, ttl } = row ?? usual;
  const ttl_policy = {
    enabled: ttl_enabled === 1,
    ttl,
    created_at: row ? instant(row.created_at) : null,
    updated_at: row ? instant(row.updated_at) : null,
  };
  return {
    enabled: enabled === 1,
    image_prefix: `${new URL(externalUrl).host}/${proxiedPath(group.full_path)}`,
    image_count: kept.manifests,
    blob_count: kept.blobs,
    total_size: kept.size,
    ...(subject.can('admin_dependency_proxy') && { identity, ttl_policy }),
  };
}

/** Changes how the proxy of a group is set. */
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
    const row = changed(before ?? { ...usual, group_id: groupId, created_at: now, updated_at: now }, change, (plain) =>
      services.encryption.encrypt(plain, secretPurpose),
    );
    await putSettings(trx, { ...row, updated_at: now });
  });
  return getProxy(services, subject);
}

const flag = (given: boolean | undefined, before: number) => (given === undefined ? before : Number(given));
const text = (given: string | undefined, before: string | null) => (given === undefined ? before : given || null);

/** What becomes of the settings; throws where they would make no sense. Who signs in needs something to do it with. */
export function changed(before: SettingsRow, change: Change, encrypt: (plain: string) => string): SettingsRow {
  const { ttl = before.ttl } = change;
  const identity = text(change.identity, before.identity);
  const secret = change.secret ? encrypt(change.secret) : text(change.secret, before.secret);
  const problems: Record<string, string[]> = {};
  if (ttl < 1) problems.ttl = ['must be greater than 0'];
  if (ttl > longestTtl) problems.ttl = [`must be less than or equal to ${longestTtl}`];
  for (const name of ['identity', 'secret'] as const) {
    const long = tooLong(change[name] ?? '', longest);
    if (long !== undefined) problems[name] = [long];
  }
  // A name with a colon would end early, and the rest of it begin the password.
  if (identity?.includes(':')) problems.identity = ['is invalid'];
  if (identity === null && secret !== null) problems.identity = ["can't be blank"];
  if (identity !== null && secret === null) problems.secret = ["can't be blank"];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const [enabled, ttl_enabled] = [flag(change.enabled, before.enabled), flag(change.ttl_enabled, before.ttl_enabled)];
  return { ...before, enabled, identity, secret, ttl_enabled, ttl };
}
