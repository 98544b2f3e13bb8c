import type { Rate } from '../platform/http/server/rate-limits.ts';

const durationUnits = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const byteUnits = { GiB: 1024 ** 3, MiB: 1024 ** 2, KiB: 1024, B: 1 } as const;

/** Parses `500ms`, `30s`, `10m`, `2h`, `30d` into milliseconds; a bare number counts seconds. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,12})(ms|s|m|h|d)?$/.exec(text);
  if (match === null) return null;
  const unit = (match[2] ?? 's') as keyof typeof durationUnits;
  return Number(match[1]) * durationUnits[unit];
}

/** Parses `10MiB`, `500KiB`, `2GiB` into bytes; a bare number counts bytes. */
export function parseBytes(text: string): number | null {
  const match = /^(\d{1,12})(?:([KMG])(?:iB)?|B)?$/i.exec(text);
  if (match === null) return null;
  const unit = match[2] === undefined ? 'B' : (`${match[2].toUpperCase()}iB` as keyof typeof byteUnits);
  return Number(match[1]) * byteUnits[unit];
}

/** Parses a rate: `5/1m` is five per minute; `0` is unlimited. */
export function parseRate(text: string): Rate | undefined | null {
  if (text === '0' || text === 'off') return undefined;
  const [count = '', period = '', ...more] = text.split('/');
  const length = parseDuration(/^[a-z]/.test(period) ? `1${period}` : period);
  if (!/^[1-9]\d{0,8}$/.test(count) || !length || more.length > 0) return null;
  return { count: Number(count), period: length };
}

/** Returns the shortest form that `parseDuration` accepts. */
export function showDuration(milliseconds: number): string {
  return showInUnits(milliseconds, durationUnits);
}

/** Returns the shortest form that `parseBytes` accepts. */
export function showBytes(count: number): string {
  return showInUnits(count, byteUnits);
}

/** Returns the form that `parseRate` accepts. */
export function showRate(rate: Rate | undefined): string {
  return rate === undefined ? '0' : `${rate.count}/${showDuration(rate.period)}`;
}

function showInUnits(value: number, units: Record<string, number>): string {
  if (value === 0) return '0';
  const [name] = Object.entries(units).find(([, size]) => value % size === 0) ?? [''];
  return `${value / (units[name] ?? 1)}${name}`;
}
