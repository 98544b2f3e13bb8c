import {
  changeLimits,
  limitNames,
  type PlanLimits,
  readLimits,
  type StoredLimits,
} from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { Invalid } from '../../platform/http/errors.ts';

/** Number of changes kept in the history of each limit. */
const longestHistory = 20;

function present({ limits, history }: StoredLimits) {
  return { ...limits, limits_history: history };
}

export async function getPlanLimits({ db }: Services) {
  return present(await readLimits(db.read));
}

type Sent = Readonly<Record<string, unknown>>;

function checked(sent: Sent): Partial<PlanLimits> {
  const changes = limitNames.flatMap((name) => {
    const value = sent[name];
    return typeof value === 'number' ? [[name, value] as const] : [];
  });
  const negative = changes.filter(([, value]) => value < 0);
  if (negative.length > 0) {
    throw new Invalid(Object.fromEntries(negative.map(([name]) => [name, ['must be greater than or equal to 0']])));
  }
  return Object.fromEntries(changes);
}

/** Applies a change and records it in the history with its author. */
function changedBy(
  by: User,
  { limits, history }: StoredLimits,
  changes: Partial<PlanLimits>,
  now: number,
): StoredLimits {
  const remembered = { ...history };
  for (const name of limitNames) {
    const value = changes[name];
    if (value === undefined || value === limits[name]) continue;
    const change = { user_id: by.id, username: by.username, timestamp: Math.floor(now / 1000), value };
    remembered[name] = [...(history[name] ?? []), change].slice(-longestHistory);
  }
  return { limits: { ...limits, ...changes }, history: remembered };
}

export async function changePlanLimits({ db, announce }: Services, by: User, sent: Sent) {
  const newLimits = checked(sent);
  return db.write(async (trx) => {
    let former: PlanLimits | undefined;
    const after = await changeLimits(trx, (before) => {
      former = before.limits;
      return changedBy(by, before, newLimits, Date.now());
    });
    const changes = new Map(
      limitNames
        .map((name) => [name, { from: former?.[name], to: after.limits[name] }] as const)
        .filter(([, { from, to }]) => from !== to),
    );
    if (changes.size > 0) await announce(trx, 'application-settings.changed', { by, changes });
    return present(after);
  });
}
