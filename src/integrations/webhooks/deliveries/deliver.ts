import { randomUUID } from 'node:crypto';
import { apiVersion } from '../../../access/api-version.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { type Job, RunAgain } from '../../../platform/queue/queue.ts';
import { afterFailure, alertStatus, healthy } from '../disabling.ts';
import { emailsOf, enqueueEmails } from '../emails/compose.ts';
import { type EmailKind, isEmailKind } from '../emails/kinds.ts';
import { openSecrets, openToken } from '../hooks/secrets.ts';
import { hookById, lockHook, updateHook } from '../hooks/store.ts';
import { isAllowed } from '../integrations/allowed.ts';
import type { IntegrationRequest } from '../integrations/kind.ts';
import { integrationRequest } from '../integrations/request.ts';
import { JiraError } from '../jira/client.ts';
import { commentInJira } from '../jira/comment.ts';
import { releaseMentions } from '../jira/store.ts';
import { filledUrl, type Secrets, senderOf } from '../rules.ts';
import type { DeliveryRow, WebhookRow } from '../tables.ts';
import { fillTemplate, UnusableTemplate } from '../template.ts';
import { DeliverySlots, receiverOf } from './concurrency.ts';
import { deliveryHeaders, withoutSecrets } from './headers.ts';
import { withoutSecretsOf } from './masking.ts';
import { type Outcome, sendRequest } from './send.ts';
import { deleteOldDeliveries, insertDelivery } from './store.ts';

/** A webhook delivery in the queue. */
export interface Delivery {
  readonly hookId: number;
  readonly event: string;
  readonly trigger: string;
  readonly eventUuid: string;
  readonly idempotencyKey: string;
  /** Starts at 1. */
  readonly attempt: number;
  readonly payload: unknown;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'webhooks.deliver': Delivery;
  }
}

const largestPayload = 25 * 1024 * 1024;
const maxLoggedBytes = 1024 * 1024;
/** Delays before the second and the third attempt. */
export const pauses = [10_000, 60_000];
const hour = 60 * 60_000;
export const retentionMs = 7 * 24 * hour;

/** Defines the delivery job and the log's retention job. */
export function deliveryJobs(services: Services): void {
  const slots = new DeliverySlots();
  services.queue.defineJob('webhooks.deliver', (job) => deliver(services, slots, job), {
    maxAttempts: 5,
    timeoutMs: 30_000,
    concurrency: 6,
  });
  services.queue.recurring('webhooks.forget-deliveries', { everyMs: hour }, async ({ signal }) => {
    const before = Date.now() - retentionMs;
    while (!signal.aborted && (await services.db.write((trx) => deleteOldDeliveries(trx, before, 500))) > 0);
  });
}

async function deliver(services: Services, slots: DeliverySlots, job: Job<Delivery>): Promise<void> {
  const { payload: delivery } = job;
  const hook = await hookById(services.db.read, delivery.hookId);
  if (!hook || (await services.settings.read()).silent_mode_enabled) return;
  if (hook.kind !== null && !(await isAllowed(services, hook.kind))) return;
  const status = alertStatus(hook);
  if (status === 'disabled') return;
  if (status === 'temporarily_disabled') {
    // While the webhook is disabled, new deliveries are dropped, and pending retries are postponed.
    if (delivery.attempt === 1) return;
    throw new RunAgain(Math.max(1000, (hook.disabled_until ?? 0) - Date.now()));
  }
  if (hook.kind !== null && isEmailKind(hook.kind)) return post(services, hook, hook.kind, job);
  // An integration does not report every event.
  if (hook.kind !== null && hook.kind !== 'jira' && !integrationRequest(services, hook, delivery)) return;
  const receiver = receiverOf(filledUrl(hook.url, openSecrets(services, hook, 'url_variables')));
  const done = slots.take(`${hook.project_id} ${hook.namespace_id}`, receiver);
  if (!done) throw new RunAgain(1000);
  try {
    if (hook.kind === 'jira') return await notifyJira(services, hook, job);
    const attempted = await attempt(services, hook, delivery, job.signal);
    slots.note(receiver, attempted.outcome.durationMs);
    await services.db.write(async (trx) => {
      await record(trx, hook, attempted, delivery.attempt === 1);
      if (attempted.outcome.again) await tryLater(services, trx, delivery);
      await job.finish(trx);
    });
  } finally {
    done();
  }
}

/** Enqueues the next attempt after a delay; returns false if this was the last one. */
async function tryLater({ queue }: Services, trx: Writer, delivery: Delivery): Promise<boolean> {
  const pause = pauses[delivery.attempt - 1];
  if (pause === undefined) return false;
  const next = { ...delivery, attempt: delivery.attempt + 1 };
  await queue.enqueue(trx, 'webhooks.deliver', next, { runAt: Date.now() + pause });
  return true;
}

/** Sends the e-mails of an e-mail integration. */
async function post(services: Services, hook: WebhookRow, name: EmailKind, job: Job<Delivery>): Promise<void> {
  const messages = await emailsOf(services, hook, name, job.payload);
  await services.db.write(async (trx) => {
    await enqueueEmails(services, trx, messages);
    await job.finish(trx);
  });
}

/** Updates Jira, with the same retries as a webhook. */
async function notifyJira(services: Services, hook: WebhookRow, job: Job<Delivery>): Promise<void> {
  const { payload: delivery } = job;
  try {
    await commentInJira(services, hook, delivery, job.signal);
    if (hook.recent_failures > 0) await services.db.write((trx) => recover(trx, hook.id));
  } catch (error) {
    if (!(error instanceof JiraError)) throw error;
    const { project } = delivery.payload as { readonly project: { readonly id: number } };
    await services.db.write(async (trx) => {
      if (delivery.attempt === 1) await countFailure(trx, await lockHook(trx, hook.id));
      const goesOn = error.again && (await tryLater(services, trx, delivery));
      if (!goesOn) await releaseMentions(trx, project.id, delivery.idempotencyKey);
      await job.finish(trx);
    });
  }
}

interface Attempted {
  readonly outcome: Outcome;
  readonly delivery: Omit<Delivery, 'hookId' | 'attempt' | 'payload'>;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes one delivery attempt; failures become part of the outcome. */
async function attempt(
  services: Services,
  hook: WebhookRow,
  delivery: Omit<Delivery, 'hookId' | 'attempt'>,
  signal?: AbortSignal,
): Promise<Attempted> {
  const request: Partial<IntegrationRequest> =
    hook.kind === null
      ? { body: delivery.payload as object }
      : (integrationRequest(services, hook, delivery) ?? { body: {} });
  const { authorization } = request;
  const custom: Secrets = {
    ...openSecrets(services, hook, 'custom_headers'),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  const variables = openSecrets(services, hook, 'url_variables');
  const token = openToken(services, hook, 'token');
  const built = bodyOf(hook, request.body);
  const { event, eventUuid, idempotencyKey } = delivery;
  const headers = deliveryHeaders(built.body, {
    event,
    eventUuid,
    idempotencyKey,
    deliveryUuid: randomUUID(),
    instance: services.externalUrl,
    version: apiVersion,
    token,
    signingToken: openToken(services, hook, 'signing_token'),
    custom,
  });
  const outcome =
    built.failure === null
      ? await sendRequest(services, {
          url: `${filledUrl(hook.url, variables)}${request.suffix ?? ''}`,
          ...(request.method ? { method: request.method } : {}),
          headers,
          body: built.body,
          verifyCertificate: hook.enable_ssl_verification === 1,
          sender: senderOf(hook),
          ...(signal ? { signal } : {}),
        })
      : { status: null, headers: {}, body: '', failure: built.failure, again: false, durationMs: 0 };
  const told = withoutSecretsOf({ url: hook.url, variables, headers: custom, token }, outcome);
  return { outcome: told, delivery, body: built.body, headers: withoutSecrets(headers, custom) };
}

function bodyOf(hook: WebhookRow, payload: unknown) {
  try {
    const filled = hook.custom_webhook_template
      ? fillTemplate(hook.custom_webhook_template, payload, largestPayload)
      : payload;
    const body = JSON.stringify(filled);
    const failure = Buffer.byteLength(body) > largestPayload ? 'Webhook payload is too large' : null;
    return { body, failure };
  } catch (error) {
    if (error instanceof UnusableTemplate) return { body: JSON.stringify(payload), failure: error.message };
    throw error;
  }
}

const isSuccess = ({ status }: Outcome) => status !== null && status < 400;

async function recover(trx: Writer, id: number): Promise<void> {
  if (await lockHook(trx, id)) await updateHook(trx, id, healthy);
}

async function countFailure(trx: Writer, hook: WebhookRow | undefined): Promise<void> {
  if (!hook) return;
  const { recent_failures, backoff_count, disabled_until } = afterFailure(hook);
  await updateHook(trx, hook.id, { recent_failures, backoff_count, disabled_until });
}

/** Logs a delivery and updates the health of the webhook. */
async function record(
  trx: Writer,
  hook: WebhookRow,
  attempted: Attempted,
  counts: boolean,
): Promise<DeliveryRow | undefined> {
  const { outcome, delivery, body, headers } = attempted;
  const locked = await lockHook(trx, hook.id);
  if (!locked) return undefined;
  if (isSuccess(outcome)) {
    if (locked.recent_failures > 0) await updateHook(trx, hook.id, healthy);
  } else if (counts) {
    await countFailure(trx, locked);
  }
  const oversize = Buffer.byteLength(body) > maxLoggedBytes;
  return insertDelivery(trx, {
    webhook_id: hook.id,
    trigger_name: delivery.trigger,
    event: delivery.event,
    url: hook.url,
    request_headers: JSON.stringify(headers),
    request_data: oversize ? '{"oversize":true}' : body,
    oversize: oversize ? 1 : 0,
    idempotency_key: delivery.idempotencyKey,
    response_headers: JSON.stringify(outcome.headers),
    response_body: outcome.body,
    response_status: outcome.status,
    failure: outcome.failure,
    execution_ms: outcome.durationMs,
    created_at: Date.now(),
  });
}

/** Delivers immediately and returns the outcome, even if the webhook is disabled. */
export async function deliverNow(
  services: Services,
  hook: WebhookRow,
  {
    event,
    trigger,
    payload,
    idempotencyKey = randomUUID(),
  }: Pick<Delivery, 'event' | 'trigger' | 'payload'> & {
    readonly idempotencyKey?: string;
  },
): Promise<Outcome> {
  const attempted = await attempt(services, hook, { event, trigger, payload, idempotencyKey, eventUuid: randomUUID() });
  await services.db.write((trx) => record(trx, hook, attempted, false));
  return attempted.outcome;
}
