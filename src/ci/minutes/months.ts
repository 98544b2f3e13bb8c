import type { Services } from '../../access/services.ts';
import { packSettings, settingsOfGroup, updateGroupRow } from '../../namespaces/groups/public.ts';
import { changeUser } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { extraAfter, type Limits, monthOf, secondsBeyond } from './rules.ts';
import { limitsFrom } from './service.ts';
import * as store from './store.ts';

/** Deducts the usage of past months from the extra minutes, which are not renewed monthly. */
export async function settleMonths(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { db, settings } = services;
  while (!signal.aborted) {
    const found = await store.unsettled(db.read, monthOf(now));
    if (found.length === 0) return;
    const instance = (await settings.read()).shared_runners_minutes;
    for (const { namespace_id, month } of found) {
      await db.write((trx) => settleMonth(services, trx, namespace_id, month, instance));
    }
  }
}

async function settleMonth(
  services: Services,
  trx: Writer,
  namespaceId: number,
  month: number,
  instance: number,
): Promise<void> {
  // Serializes with concurrent changes of the limit.
  if (!(await lockRow(trx, 'namespaces', namespaceId))) return;
  const { before, settled } = await store.settle(trx, namespaceId, month);
  const [top] = await store.limitsOf(trx, [namespaceId]);
  if (!top) return;
  const limits = limitsFrom(top, instance);
  const excessSeconds = secondsBeyond(before + settled, limits) - secondsBeyond(before, limits);
  await saveExtra(services, trx, top, limits, extraAfter(limits.extra, excessSeconds));
}

async function saveExtra(
  services: Services,
  trx: Writer,
  { id, kind, owner_id, settings }: { id: number; kind: string; owner_id: number | null; settings: string },
  { extra }: Limits,
  remaining: number | null,
): Promise<void> {
  if (remaining === extra) return;
  if (kind === 'group') {
    const changed = { ...settingsOfGroup({ settings }), extra_shared_runners_minutes_limit: remaining };
    await updateGroupRow(trx, id, { settings: packSettings(changed) });
    return;
  }
  const user = owner_id === null ? undefined : await lockRow(trx, 'users', owner_id);
  if (user) await changeUser(services, trx, user, { extra_shared_runners_minutes_limit: remaining });
}
