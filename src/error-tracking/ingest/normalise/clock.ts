import type { Given } from './read.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const driftFrom = 55 * minute;
const furthestAhead = minute;
const oldest = 30 * day;

/** An instant in milliseconds: seconds since 1970 as a number or its text, or RFC 3339, in UTC unless it says otherwise. */
export function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return fromSeconds(value);
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const written = value.trim();
  if (/^\d{1,13}(?:\.\d+)?$/.test(written)) return fromSeconds(Number(written));
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(written) ? written : `${written}Z`;
  const instant = Date.parse(zoned.replace(/(\.\d{3})\d+/, '$1').replace(' ', 'T'));
  return Number.isNaN(instant) ? undefined : instant;
}

/** Thirteen digits are milliseconds already. */
function fromSeconds(seconds: number): number | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
  const milliseconds = seconds >= 100_000_000_000 ? seconds : seconds * 1000;
  return milliseconds < 8.64e15 ? Math.round(milliseconds) : undefined;
}

/**
 * When an event happened by our clock. A client whose clock is off says so by the time it claims to have sent the event
 * at; what still lies in the future or too far back counts as happening now.
 */
export function occurredAt(event: Given, sentAt: unknown, receivedAt: number): number {
  const given = readInstant(event.timestamp);
  if (given === undefined) return receivedAt;
  const sent = readInstant(sentAt);
  const drift = sent === undefined ? 0 : receivedAt - sent;
  const corrected = Math.abs(drift) >= driftFrom ? given + drift : given;
  if (corrected > receivedAt + furthestAhead || corrected < receivedAt - oldest) return receivedAt;
  return corrected;
}
