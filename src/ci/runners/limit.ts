import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { countRunners } from './store.ts';

/**
 * Enforces the runner limit of a group or project. Counts under a lock, because concurrent requests may exceed it
 * otherwise.
 */
export async function requireWithinLimit(
  trx: Writer,
  owner: { readonly namespaceId: number | null; readonly projectId: number | null },
): Promise<void> {
  if (owner.projectId === null && owner.namespaceId === null) return;
  const limits = await planLimits(trx);
  const kind = owner.projectId === null ? 'group' : 'project';
  const limit = limits[`ci_registered_${kind}_runners`];
  await acquireLock(trx, `runners of ${owner.projectId ?? ''}/${owner.namespaceId ?? ''}`);
  if ((await countRunners(trx, owner, limit)) < limit) return;
  throw new Invalid({ base: [`Maximum number of ci registered ${kind} runners (${limit}) exceeded`] });
}
