import { createHmac } from 'node:crypto';
import type { Secrets } from '../rules.ts';

/** The values of the delivery headers. */
export interface Envelope {
  readonly event: string;
  /** The same for all webhooks of an event. */
  readonly eventUuid: string;
  /** Unique per delivery. */
  readonly deliveryUuid: string;
  /** The same for every attempt of a delivery. */
  readonly idempotencyKey: string;
  readonly instance: string;
  readonly version: string;
  readonly token: string | null;
  readonly signingToken: string | null;
  readonly custom: Secrets;
}

/** Headers of a signed delivery, as of Standard Webhooks. */
function signature(body: string, { idempotencyKey: id, signingToken }: Envelope): Record<string, string> {
  if (signingToken === null) return {};
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const key = Buffer.from(signingToken.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` };
}

const families = ['X-Gitlab', 'X-Service'] as const;

/** Returns the headers of a delivery: the documented ones with both of their prefixes, and the custom ones. */
export function deliveryHeaders(body: string, envelope: Envelope): Record<string, string> {
  const { event, eventUuid, deliveryUuid, idempotencyKey, instance, token } = envelope;
  const named: Record<string, string> = {
    Event: event,
    'Webhook-UUID': deliveryUuid,
    Instance: instance,
    'Event-UUID': eventUuid,
    // Receivers compare the token itself, or verify the body with the signature.
    ...(token ? { Token: token, Signature: `sha256=${createHmac('sha256', token).update(body).digest('hex')}` } : {}),
  };
  const ours: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `GitLab/${envelope.version}`,
    'Idempotency-Key': idempotencyKey,
    ...signature(body, envelope),
  };
  for (const family of families) for (const [name, value] of Object.entries(named)) ours[`${family}-${name}`] = value;
  const taken = new Set(Object.keys(ours).map((name) => name.toLowerCase()));
  const custom = Object.entries(envelope.custom).filter(([name]) => !taken.has(name.toLowerCase()));
  return { ...ours, ...Object.fromEntries(custom) };
}

/** Returns the headers with secrets redacted, for the log. */
export function withoutSecrets(headers: Readonly<Record<string, string>>, custom: Secrets): Record<string, string> {
  const secret = (name: string) => Object.hasOwn(custom, name) || /-(Token|Signature)$/.test(name);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret(name) ? '[REDACTED]' : value]),
  );
}
