import { type SqlBool, sql } from 'kysely';
import type { Database, Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { InstanceSettings } from '../application-settings/source.ts';
import { settingsOf } from '../stored-settings.ts';
import type { User } from '../tables.ts';

const hour = 3_600_000;
const defaultGrace = 48;

/** Must match the expression of the partial index on these groups word for word. */
export const requiresFactor = sql<SqlBool>`n.settings like '%"require_two_factor_authentication":true%'`;

const anyRequiring = statement(
  (db, _param: Param<Record<never, never>>) =>
    db.selectFrom('namespaces as n').select('n.id').where(requiresFactor).limit(1),
  { cached: true },
);

// Applies to members of groups above and below the requiring group: roles are inherited by subgroups, and joining only
// a subgroup must not circumvent the requirement.
const requiringGroups = statement(
  (db, param: Param<{ user: number }>) => {
    const aboveTheirs = db
      .selectFrom('members as m')
      .crossJoin('namespace_ancestors as a')
      .whereRef('a.namespace_id', '=', 'm.namespace_id')
      .crossJoin('namespaces as n')
      .whereRef('n.id', '=', 'a.ancestor_id')
      .select(['n.settings', 'm.expires_at'])
      .where('m.user_id', '=', param('user'))
      .where(requiresFactor);
    const belowTheirs = db
      .selectFrom('namespaces as n')
      .crossJoin('namespace_ancestors as a')
      .whereRef('a.namespace_id', '=', 'n.id')
      .crossJoin('members as m')
      .whereRef('m.namespace_id', '=', 'a.ancestor_id')
      .select(['n.settings', 'm.expires_at'])
      .where('m.user_id', '=', param('user'))
      .where(requiresFactor);
    return aboveTheirs.union(belowTheirs);
  },
  { cached: true },
);

async function graceOfGroups(db: Reader, user: number, now: number): Promise<number[]> {
  if ((await anyRequiring.first(db, {})) === undefined) return [];
  const rows = await requiringGroups.all(db, { user });
  const inForce = rows.filter(({ expires_at }) => expires_at === null || expires_at > now);
  return inForce.map((row) => Number(settingsOf(row).two_factor_grace_period ?? defaultGrace));
}

/** The shortest grace period, in hours, of all second factor requirements for a user; undefined if there is none. */
async function graceFor({ db, settings }: Dependencies, user: User, now: number): Promise<number | undefined> {
  const instance = settings.known() ?? (await settings.read());
  const isRequired =
    instance.require_two_factor_authentication ||
    (user.admin === 1 && instance.require_admin_two_factor_authentication);
  const graces = await graceOfGroups(db.read, user.id, now);
  if (isRequired) graces.push(instance.two_factor_grace_period);
  return graces.length === 0 ? undefined : Math.min(...graces);
}

interface Dependencies {
  readonly db: Database;
  readonly settings: InstanceSettings;
}

/** Whether this account is required to have a second factor, even if it already has one. */
export async function mustHaveSecondFactor(needed: Dependencies, user: User): Promise<boolean> {
  return user.kind === 'human' && (await graceFor(needed, user, Date.now())) !== undefined;
}

/**
 * When an account that is required to have a second factor, but has none, can no longer be used with its password
 * alone; undefined if it is not required. The grace period starts when the user first signs in and is notified. It is
 * reset when the requirement is removed.
 */
export async function secondFactorDue(needed: Dependencies, user: User, now = Date.now()): Promise<number | undefined> {
  if (user.two_factor_enabled === 1 || user.kind !== 'human') return undefined;
  const grace = await graceFor(needed, user, now);
  const started = user.two_factor_grace_started_at;
  if (grace === undefined) {
    if (started !== null) await startGrace(needed.db, user, null);
    return undefined;
  }
  if (started === null) await startGrace(needed.db, user, now);
  return (started ?? now) + grace * hour;
}

/** Whether the grace period is over. Then the password only allows setting up a second factor. */
export async function isSecondFactorOverdue(needed: Dependencies, user: User): Promise<boolean> {
  const now = Date.now();
  const due = await secondFactorDue(needed, user, now);
  return due !== undefined && due <= now;
}

async function startGrace(db: Database, { id, two_factor_grace_started_at: known }: User, at: number | null) {
  await db.write((trx) =>
    trx
      .updateTable('users')
      .set({ two_factor_grace_started_at: at })
      .where('id', '=', id)
      .where('two_factor_grace_started_at', known === null ? 'is' : '=', known)
      .execute(),
  );
}
