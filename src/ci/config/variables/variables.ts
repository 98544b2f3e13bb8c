import { stringList } from '../entry.ts';
import type { At, Problems } from '../errors.ts';
import type { PlannedVariable } from '../plan.ts';
import { isMapping, scalarText, type Value } from '../yaml/values.ts';

/**
 * Reads a `variables:` mapping. A value may be written out as a mapping where `keys` says so: `value` and `expand` in a job,
 * `description` and `options` too at the top, nothing of the kind in rules and services.
 */
export function readVariables(
  value: Value | undefined,
  at: At,
  problems: Problems,
  keys: readonly string[],
): PlannedVariable[] {
  if (value === undefined || value === null) return [];
  if (!isMapping(value)) {
    problems.add(at, 'config should be a hash of key value pairs');
    return [];
  }
  return [...value].flatMap(([key, written]) => variable(key, written, [...at, key], problems, keys) ?? []);
}

export const topVariableKeys = ['value', 'expand', 'description', 'options'];
export const jobVariableKeys = ['value', 'expand'];
export const plainVariableKeys: readonly string[] = [];

function variable(
  key: string,
  written: Value,
  at: At,
  problems: Problems,
  keys: readonly string[],
): PlannedVariable | null {
  const text = written === null ? '' : scalarText(written);
  if (text !== undefined) return { key, value: text, raw: false };
  if (!isMapping(written) || keys.length === 0) {
    const forms = keys.length === 0 ? 'must be a string' : 'must be either a string or a hash';
    problems.add(at, `config ${forms}`);
    return null;
  }
  const stray = [...written.keys()].filter((name) => !keys.includes(name));
  if (stray.length > 0) problems.add(at, `config uses invalid data keys: ${stray.join(', ')}`);
  const value = scalarText(written.get('value') ?? '');
  const expand = written.get('expand') ?? true;
  if (value === undefined) problems.add(at, 'config value must be a string');
  if (typeof expand !== 'boolean') problems.add(at, 'config expand must be a boolean');
  const options = written.get('options');
  if (options !== undefined) {
    const allowed = stringList(options);
    if (allowed === undefined) problems.add(at, 'config options must be an array of strings');
    else if (!allowed.includes(value ?? '')) problems.add(at, 'config value must be present in options');
  }
  return { key, value: value ?? '', raw: expand === false };
}

/** Lists of variables over each other: what a later one says again wins, in the place of the first. */
export function layered(...layers: readonly (readonly PlannedVariable[])[]): PlannedVariable[] {
  const byKey = new Map<string, PlannedVariable>();
  for (const layer of layers) for (const one of layer) byKey.set(one.key, one);
  return [...byKey.values()];
}
