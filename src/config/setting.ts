import { isIP } from 'node:net';
import type { Rate } from '../platform/http/server/rate-limits.ts';
import { parseBytes, parseDuration, parseRate, showBytes, showDuration, showRate } from './units.ts';

/** One setting: its sources, accepted values and help text. */
export interface Setting<T> {
  /** Type of the value, as shown to users. */
  kind: string;
  /** Environment variable; a flag that belongs to one command only has none. */
  env?: string;
  default: T;
  help: string;
  /** Whether the value must never be printed. */
  secret: boolean;
  /** Parses the text form; throws `BadValue`. */
  parse(text: string): T;
  /** Formats the value in the form that `parse` accepts. */
  show(value: T): string;
}

/** The values of a table of settings. */
export type Values<Table> = { [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never };

/** A table of settings, by their names in the code. */
export type Settings = Record<string, Setting<unknown>>;

/** Thrown for a value that a setting does not accept; the message says what it accepts. */
export class BadValue extends Error {}

type Source = string | undefined;

function setting<T>(fields: Omit<Setting<T>, 'secret'>): Setting<T> {
  return { secret: false, ...fields };
}

type Accept = (text: string) => string;

/** A text setting. Without a default it may be absent. */
export function text(env: Source, fallback: string, help: string, accept?: Accept): Setting<string>;
export function text(env: Source, fallback: undefined, help: string, accept?: Accept): Setting<string | undefined>;
export function text(env: Source, fallback: string | undefined, help: string, accept: Accept = (text) => text) {
  const show = (value: string | undefined) => value ?? '';
  return setting<string | undefined>({ kind: 'text', env, default: fallback, help, parse: accept, show });
}

/** A text setting that is never printed. */
export function secret(env: Source, help: string, accept?: Accept): Setting<string | undefined> {
  return { ...text(env, undefined, help, accept), kind: 'secret', secret: true };
}

/** An integer setting with bounds. Without a default it may be absent. */
export function integer(env: Source, fallback: number, help: string, range: readonly [number, number]): Setting<number>;
export function integer(
  env: Source,
  fallback: undefined,
  help: string,
  range: readonly [number, number],
): Setting<number | undefined>;
export function integer(
  env: Source,
  fallback: number | undefined,
  help: string,
  [min, max]: readonly [number, number],
) {
  const parse = (written: string) => {
    const value = /^\d{1,15}$/.test(written) ? Number(written) : Number.NaN;
    if (!(value >= min && value <= max)) throw new BadValue(`expected a whole number from ${min} to ${max}`);
    return value;
  };
  const show = (value: number | undefined) => (value === undefined ? '' : String(value));
  return setting<number | undefined>({ kind: 'integer', env, default: fallback, help, parse, show });
}

/** A boolean setting. */
export function toggle(env: Source, help: string): Setting<boolean> {
  const parse = (written: string) => {
    if (/^(true|1|yes|on)$/i.test(written)) return true;
    if (/^(false|0|no|off)$/i.test(written)) return false;
    throw new BadValue('expected true or false');
  };
  return setting({ kind: 'boolean', env, default: false, help, parse, show: String });
}

/** A setting with a fixed set of values. */
export function choice<const T extends string>(
  env: Source,
  fallback: T,
  help: string,
  choices: readonly T[],
): Setting<T> {
  const parse = (written: string) => {
    const found = choices.find((word) => word === written.toLowerCase());
    if (found === undefined) throw new BadValue(`expected one of ${choices.join(', ')}`);
    return found;
  };
  return setting({ kind: choices.join(', '), env, default: fallback, help, parse, show: String });
}

/** A comma-separated list. */
export function list(env: Source, fallback: readonly string[], help: string, accept = (item: string) => item) {
  const split = (written: string) => written.split(',').map((item) => item.trim());
  const parse = (written: string) => split(written).filter(Boolean).map(accept);
  const show = (value: readonly string[]) => value.join(',');
  return setting<readonly string[]>({ kind: 'list', env, default: fallback, help, parse, show });
}

/** A duration; the value is in milliseconds. */
export function duration(env: Source, fallback: string, help: string): Setting<number> {
  return written(
    env,
    'duration',
    fallback,
    help,
    parseDuration,
    showDuration,
    'a duration such as 500ms, 30s, 10m, 2h or 30d',
  );
}

/** A number of bytes. */
export function bytes(env: Source, fallback: string, help: string): Setting<number> {
  return written(env, 'bytes', fallback, help, parseBytes, showBytes, 'a size such as 500KiB, 10MiB or 2GiB');
}

/** A count per period; absent when unlimited. */
export function rate(env: Source, fallback: string, help: string): Setting<Rate | undefined> {
  return written(env, 'rate', fallback, help, parseRate, showRate, 'a rate such as 5/1m, or 0 for none');
}

function written<T>(
  env: Source,
  kind: string,
  fallback: string,
  help: string,
  read: (text: string) => T | null,
  show: (value: T) => string,
  expected: string,
): Setting<T> {
  const parse = (text: string) => {
    const value = read(text);
    if (value === null) throw new BadValue(`expected ${expected}`);
    return value;
  };
  return setting({ kind, env, default: parse(fallback), help, parse, show });
}

/** Validates an IP address or a CIDR range. */
export function addressRange(item: string): string {
  const [address = '', prefix, ...more] = item.split('/');
  const version = isIP(address);
  const longest = version === 6 ? 128 : 32;
  const prefixFits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
  if (version === 0 || !prefixFits || more.length > 0) {
    throw new BadValue('expected addresses or ranges such as 10.0.0.0/8');
  }
  return item;
}
