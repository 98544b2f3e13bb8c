import { durationSeconds } from './duration.ts';
import type { EntryPath, Problems } from './errors.ts';
import { maxNesting } from './limits.ts';
import { isInteger, isList, isMapping, type Mapping, type Value } from './yaml/values.ts';

/** A mapping of the configuration with its path, to read and validate its keys. */
export class Entry {
  readonly at: EntryPath;
  readonly problems: Problems;
  private readonly mapping: Mapping;

  constructor(mapping: Mapping, at: EntryPath, problems: Problems) {
    this.mapping = mapping;
    this.at = at;
    this.problems = problems;
  }

  /** Undefined also for keys without a value, which count as absent. */
  get(key: string): Value | undefined {
    return this.mapping.get(key) ?? undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  keys(): string[] {
    return [...this.mapping.keys()];
  }

  below(key: string): EntryPath {
    return [...this.at, key];
  }

  fault(text: string): void {
    this.problems.add(this.at, text);
  }

  allow(keys: readonly string[]): void {
    const unknown = this.keys().filter((key) => !keys.includes(key));
    if (unknown.length > 0) this.fault(`config contains unknown keys: ${unknown.join(', ')}`);
  }

  require(...keys: string[]): void {
    const missing = keys.filter((key) => !this.has(key));
    if (missing.length > 0) this.fault(`config missing required keys: ${missing.join(', ')}`);
  }

  /** The nested mapping of a key. */
  entry(key: string): Entry | null {
    const value = this.get(key);
    if (value === undefined) return null;
    if (isMapping(value)) return new Entry(value, this.below(key), this.problems);
    this.problems.add(this.below(key), 'config should be a hash');
    return null;
  }

  string(key: string, maxLength = Number.POSITIVE_INFINITY): string | null {
    const value = this.get(key);
    if (value === undefined) return null;
    if (typeof value !== 'string') this.fault(`${spaced(key)} should be a string`);
    else if (value.length > maxLength) this.fault(`${spaced(key)} is too long (maximum is ${maxLength} characters)`);
    else return value;
    return null;
  }

  boolean(key: string): boolean | null {
    const value = this.get(key);
    if (value === undefined) return null;
    if (typeof value === 'boolean') return value;
    this.fault(`${spaced(key)} should be a boolean value`);
    return null;
  }

  oneOf<T extends string>(key: string, choices: readonly T[]): T | null {
    const value = this.get(key);
    if (value === undefined) return null;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.fault(`${spaced(key)} should be one of: ${choices.join(', ')}`);
    return found ?? null;
  }

  strings(key: string): string[] | null {
    const value = this.get(key);
    if (value === undefined) return null;
    const list = stringList(value);
    if (list === undefined) this.fault(`${spaced(key)} should be an array of strings`);
    return list ?? null;
  }

  stringOrStrings(key: string): string[] | null {
    const value = this.get(key);
    if (value === undefined) return null;
    const list = typeof value === 'string' ? [value] : stringList(value);
    if (list === undefined) this.fault(`${spaced(key)} should be an array of strings or a string`);
    return list ?? null;
  }

  integers(key: string): number[] | null {
    const value = this.get(key);
    if (value === undefined) return null;
    const list = isList(value) ? value : [value];
    if (list.every(isInteger)) return [...list] as number[];
    this.fault(`${spaced(key)} should be an array of integers or an integer`);
    return null;
  }

  /** Reads a duration in seconds up to a limit. */
  duration(key: string, limit: number, limitText: string): number | null {
    const value = this.get(key);
    if (value === undefined) return null;
    const seconds = typeof value === 'string' ? durationSeconds(value) : null;
    if (seconds === null) this.fault(`${spaced(key)} should be a duration`);
    else if (seconds > limit) this.fault(`${spaced(key)} should not exceed the limit of ${limitText}`);
    else return seconds;
    return null;
  }

  /** Reads a script: a string, or nested lists of strings. */
  script(key: string): string[] {
    const value = this.get(key);
    if (value === undefined) return [];
    const lines = typeof value === 'string' ? [value] : isList(value) ? flatStrings(value) : undefined;
    if (lines === undefined) {
      const text = `config should be a string or a nested array of strings up to ${maxNesting} levels deep`;
      this.problems.add(this.below(key), text);
    }
    return lines ?? [];
  }
}

export function stringList(value: Value): string[] | undefined {
  return isList(value) && value.every((item) => typeof item === 'string') ? [...(value as string[])] : undefined;
}

/** Flattens nested lists, as created by `!reference` and anchors. */
export function flatStrings(value: readonly Value[]): string[] | undefined {
  const flat = flatten(value, maxNesting);
  return flat?.every((item) => typeof item === 'string') ? (flat as string[]) : undefined;
}

export function flatten(value: readonly Value[], levels: number): Value[] | undefined {
  const result: Value[] = [];
  for (const item of value) {
    if (!isList(item)) {
      result.push(item);
      continue;
    }
    const inner = levels > 1 ? flatten(item, levels - 1) : undefined;
    if (inner === undefined) return undefined;
    for (const element of inner) result.push(element);
  }
  return result;
}

function spaced(key: string): string {
  return key.replaceAll('_', ' ');
}
