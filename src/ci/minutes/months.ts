import type { Services } from '../../access/services.ts';
import { packSettings, settingsOfGroup, updateGroupRow } from '../../namespaces/groups/public.ts';
import { changeUser } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { extraAfter, type Limits, monthOf, secondsBeyond } from './rules.ts';
import { limitsFrom } from './service.ts';
import * as store from './store.ts';

/** Takes off the extra minutes what months that are over needed of them: they are not given anew each month. */
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
  // Whoever sets another number meanwhile waits for this, or is seen by it.
  if (!(await lockRow(trx, 'namespaces', namespaceId))) return;
  const { before, now } = await store.settle(trx, namespaceId, month);
  const [top] = await store.limitsOf(trx, [namespaceId]);
  if (!top) return;
  const limits = limitsFrom(top, instance);
  const beyond = secondsBeyond(before + now, limits) - secondsBeyond(before, limits);
  await keepExtra(services, trx, top, limits, extraAfter(limits.extra, beyond));
}

async function keepExtra(
  services: Services,
  trx: Writer,
  { id, kind, owner_id, settings }: { id: number; kind: string; owner_id: number | null; settings: string },
  { extra }: Limits,
  left: number | null,
): Promise<void> {
  if (left === extra) return;
  if (kind === 'group') {
    const changed = { ...settingsOfGroup({ settings }), extra_shared_runners_minutes_limit: left };
    await updateGroupRow(trx, id, { settings: packSettings(changed) });
    return;
  }
  const user = owner_id === null ? undefined : await lockRow(trx, 'users', owner_id);
  if (user) await changeUser(services, trx, user, { extra_shared_runners_minutes_limit: left });
}
