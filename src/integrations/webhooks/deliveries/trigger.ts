import { randomUUID } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type EventSwitch, eventKinds, systemEvent } from '../events.ts';
import { type HookScope, hooksListening, systemHooksListening } from '../hooks/store.ts';
import { locateProject, type ProjectWithNamespace } from '../payloads/parts.ts';
import type { WebhookRow } from '../tables.ts';
import './deliver.ts';

/** Builds the payload. Called only if there is a receiver; undefined if there is nothing to deliver. */
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

/** Enqueues deliveries to the webhooks of a place and its parent groups that are subscribed to the event. */
export async function triggerHooks(
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

/** Enqueues deliveries for an event in a project, which the payload includes. */
export async function triggerProjectHooks(
  services: Services,
  trx: Writer,
  projectId: number,
  name: EventSwitch,
  compose: (located: ProjectWithNamespace) => ReturnType<Compose>,
): Promise<void> {
  await triggerHooks(services, trx, { projectId }, name, async () => {
    const located = await locateProject(trx, projectId);
    return located && compose(located);
  });
}

/** Enqueues deliveries to the system hooks: to those subscribed to the event, or to all if the event has no switch. */
export async function triggerSystemHooks(
  services: Services,
  trx: Writer,
  name: EventSwitch | undefined,
  compose: Compose,
): Promise<void> {
  const hooks = await systemHooksListening(trx, ...(name === undefined ? [] : [name]));
  if (hooks.length === 0) return;
  const payload = await compose();
  if (payload) await enqueue(services, trx, hooks, systemEvent, payload);
}

/** Whether any webhook is subscribed to one of these events. Call it before doing expensive work. */
export async function hasHooks(
  db: Reader,
  place: HookScope,
  names: readonly EventSwitch[],
  { instanceToo = false } = {},
): Promise<boolean> {
  if ((await hooksListening(db, place, ...names)).length > 0) return true;
  return instanceToo && (await systemHooksListening(db, ...names)).length > 0;
}
