import { createHmac, randomUUID } from 'node:crypto';
import { apiVersion } from '../../../access/api-version.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { type Job, RunAgain } from '../../../platform/queue/queue.ts';
import {
  applicableChecks,
  type StatusCheckRow,
  statusCheckById,
  statusCheckSecret,
} from '../../../review/merge-requests/public.ts';
import { DeliverySlots, receiverOf } from '../deliveries/concurrency.ts';
import { pauses } from '../deliveries/deliver.ts';
import { deliveryHeaders } from '../deliveries/headers.ts';
import { sendRequest } from '../deliveries/send.ts';
import { eventKinds } from '../events.ts';
import { requestPayload } from '../payloads/merge-request.ts';
import { locateProject } from '../payloads/parts.ts';

/** A request to an external status check. */
interface Question {
  readonly checkId: number;
  readonly eventUuid: string;
  readonly idempotencyKey: string;
  /** Starts at 1. */
  readonly attempt: number;
  readonly payload: object;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'status-checks.ask': Question;
  }
}

type Change = DomainEvents['merge-request.changed'];

async function ask(services: Services, trx: Writer, checks: readonly StatusCheckRow[], change: Change): Promise<void> {
  if (checks.length === 0) return;
  const located = await locateProject(trx, change.after.request.project_id);
  const user = await findUser(trx, change.actorId);
  if (!located || !user) return;
  const payload = await requestPayload(services, trx, located, user, change);
  const eventUuid = randomUUID();
  for (const { id, name, external_url } of checks) {
    await services.queue.enqueue(trx, 'status-checks.ask', {
      checkId: id,
      eventUuid,
      idempotencyKey: randomUUID(),
      attempt: 1,
      payload: { ...payload, external_approval_rule: { id, name, external_url } },
    });
  }
}

/** Merging leaves nothing to check, and approvals do not change what is merged. */
const asking: ReadonlySet<Change['action']> = new Set(['open', 'update', 'close', 'reopen']);

/** Sends a merge request event to the external status checks of its project. */
export async function sendToStatusChecks(services: Services, trx: Writer, change: Change): Promise<void> {
  if (!asking.has(change.action)) return;
  await ask(services, trx, await applicableChecks(trx, change.after.request), change);
}

/** Retries one status check for the current state of the merge request. */
export async function resendToStatusCheck(
  services: Services,
  trx: Writer,
  { check, actorId, state }: DomainEvents['status-check.retried'],
): Promise<void> {
  await ask(services, trx, [check], { action: 'update', actorId, before: state, after: state });
}

export function statusCheckJobs(services: Services): void {
  const slots = new DeliverySlots();
  services.queue.defineJob('status-checks.ask', (job) => send(services, slots, job), {
    maxAttempts: 5,
    timeoutMs: 30_000,
    concurrency: 3,
  });
}

/** An unreachable check stays pending, and users can retry it. */
async function send(services: Services, slots: DeliverySlots, job: Job<Question>): Promise<void> {
  const { payload: question } = job;
  const check = await statusCheckById(services.db.read, question.checkId);
  if (!check || (await services.settings.read()).silent_mode_enabled) return;
  const body = JSON.stringify(question.payload);
  const receiver = receiverOf(check.external_url);
  const done = slots.take(`${check.project_id}`, receiver);
  if (!done) throw new RunAgain(1000);
  try {
    const { again, durationMs } = await sendRequest(services, {
      url: check.external_url,
      headers: headersOf(services, check, question, body),
      body,
      verifyCertificate: true,
      sender: 'anyone',
      signal: job.signal,
    });
    slots.note(receiver, durationMs);
    const pause = pauses[question.attempt - 1];
    if (!again || pause === undefined) return;
    await services.db.write(async (trx) => {
      const next = { ...question, attempt: question.attempt + 1 };
      await services.queue.enqueue(trx, 'status-checks.ask', next, { runAt: Date.now() + pause });
      await job.finish(trx);
    });
  } finally {
    done();
  }
}

/** The headers of a webhook, but without the secret itself, which only signs the body. */
function headersOf(services: Services, check: StatusCheckRow, question: Question, body: string) {
  const secret = statusCheckSecret(services, check);
  const signature = secret && createHmac('sha256', secret).update(body).digest('hex');
  return deliveryHeaders(body, {
    event: eventKinds.merge_requests_events.header,
    eventUuid: question.eventUuid,
    idempotencyKey: question.idempotencyKey,
    deliveryUuid: randomUUID(),
    instance: services.externalUrl,
    version: apiVersion,
    token: null,
    signingToken: null,
    custom: signature ? { 'X-Gitlab-Signature': signature, 'X-Service-Signature': signature } : {},
  });
}
