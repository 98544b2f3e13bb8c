import { createHmac } from 'node:crypto';
import type { Secrets } from '../rules.ts';

/** What the headers of a delivery tell. */
export interface Envelope {
  readonly event: string;
  /** One for all webhooks that an event reaches. */
  readonly eventUuid: string;
  /** One for each delivery. */
  readonly deliveryUuid: string;
  /** The same for every attempt at a delivery. */
  readonly idempotencyKey: string;
  readonly instance: string;
  readonly version: string;
  readonly token: string | null;
  readonly custom: Secrets;
}

const families = ['X-Gitlab', 'X-Service'] as const;

/** The headers of a delivery: those that the documents name, under both of their names, and the receiver's own. */
export function deliveryHeaders(body: string, envelope: Envelope): Record<string, string> {
  const { event, eventUuid, deliveryUuid, idempotencyKey, instance, token } = envelope;
  const named: Record<string, string> = {
    Event: event,
    'Webhook-UUID': deliveryUuid,
    Instance: instance,
    'Event-UUID': eventUuid,
    // The token itself is what receivers compare; who does not want to read it can check the body against it.
    ...(token ? { Token: token, Signature: `sha256=${createHmac('sha256', token).update(body).digest('hex')}` } : {}),
  };
  const ours: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `GitLab/${envelope.version}`,
    'Idempotency-Key': idempotencyKey,
  };
  for (const family of families) for (const [name, value] of Object.entries(named)) ours[`${family}-${name}`] = value;
  const taken = new Set(Object.keys(ours).map((name) => name.toLowerCase()));
  const custom = Object.entries(envelope.custom).filter(([name]) => !taken.has(name.toLowerCase()));
  return { ...ours, ...Object.fromEntries(custom) };
}

/** The same as the log keeps them. */
export function withoutSecrets(headers: Readonly<Record<string, string>>, custom: Secrets): Record<string, string> {
  const secret = (name: string) => Object.hasOwn(custom, name) || /-(Token|Signature)$/.test(name);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret(name) ? '[REDACTED]' : value]),
  );
}
