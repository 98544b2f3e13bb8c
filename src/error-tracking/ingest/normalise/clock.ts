import type { RawObject } from './read.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const minDrift = 55 * minute;
const maxAhead = minute;
const maxAge = 30 * day;

/** Parses a time to milliseconds: Unix seconds as number or text, or RFC 3339, in UTC by default. */
export function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return fromSeconds(value);
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const trimmed = value.trim();
  if (/^\d{1,13}(?:\.\d+)?$/.test(trimmed)) return fromSeconds(Number(trimmed));
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(trimmed) ? trimmed : `${trimmed}Z`;
  const instant = Date.parse(zoned.replace(/(\.\d{3})\d+/, '$1').replace(' ', 'T'));
  return Number.isNaN(instant) ? undefined : instant;
}

/** Values with thirteen digits are already in milliseconds. */
function fromSeconds(seconds: number): number | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
  const milliseconds = seconds >= 100_000_000_000 ? seconds : seconds * 1000;
  return milliseconds < 8.64e15 ? Math.round(milliseconds) : undefined;
}

/**
 * Returns when an event occurred by the server's clock. Clock drift of the client is derived from the time it claims to
 * have sent the event. Times still in the future or too old are replaced by the time of receipt.
 */
export function occurredAt(event: RawObject, sentAt: unknown, receivedAt: number): number {
  const timestamp = readInstant(event.timestamp);
  if (timestamp === undefined) return receivedAt;
  const sent = readInstant(sentAt);
  const drift = sent === undefined ? 0 : receivedAt - sent;
  const corrected = Math.abs(drift) >= minDrift ? timestamp + drift : timestamp;
  if (corrected > receivedAt + maxAhead || corrected < receivedAt - maxAge) return receivedAt;
  return corrected;
}
