import { randomUUID } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type EventSwitch, eventKinds, systemEvent } from '../events.ts';
import { hooksListening, systemHooksListening } from '../hooks/store.ts';
import type { WebhookRow } from '../tables.ts';
import './deliver.ts';

/** Where something happened: in a project, or in a group. */
export interface HookScope {
  readonly projectId?: number;
  readonly namespaceId: number;
}

/** What the receivers are sent; asked for only where there is one. Undefined where there is nothing to tell after all. */
export type Compose = () => Promise<object | undefined> | object | undefined;

async function enqueue(
  { queue }: Services,
  trx: Writer,
  hooks: readonly WebhookRow[],
  { header, trigger }: { readonly header: string; readonly trigger: string },
  payload: object,
): Promise<void> {
  const eventUuid = randomUUID();
  for (const { id: hookId } of hooks) {
    const named = { hookId, event: header, trigger, eventUuid, idempotencyKey: randomUUID(), attempt: 1 };
    await queue.enqueue(trx, 'webhooks.deliver', { ...named, payload });
  }
}

/** Tells the webhooks of a project or group, and of the groups around it, that have a switch on. */
export async function tellProjectOrGroup(
  services: Services,
  trx: Writer,
  place: HookScope,
  name: EventSwitch,
  compose: Compose,
  takes: (hook: WebhookRow) => boolean = () => true,
): Promise<void> {
  const hooks = (await hooksListening(trx, place, name)).filter(takes);
  if (hooks.length === 0) return;
  const payload = await compose();
  if (payload) await enqueue(services, trx, hooks, eventKinds[name], payload);
}

/** Tells the webhooks of the instance: those with a switch on, or without a switch all of them. */
export async function tellInstance(
  services: Services,
  trx: Writer,
  name: EventSwitch | undefined,
  compose: Compose,
): Promise<void> {
  const hooks = await systemHooksListening(trx, name);
  if (hooks.length === 0) return;
  const payload = await compose();
  if (payload) await enqueue(services, trx, hooks, systemEvent, payload);
}

/** Is there anybody to tell? For what takes work to find out. */
export async function isHeard(
  db: Reader,
  place: HookScope,
  name: EventSwitch,
  { instanceToo = false } = {},
): Promise<boolean> {
  if ((await hooksListening(db, place, name)).length > 0) return true;
  return instanceToo && (await systemHooksListening(db, name)).length > 0;
}
