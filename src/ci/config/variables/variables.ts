import { stringList } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { PlannedVariable } from '../plan.ts';
import { isInteger, isMapping, scalarText, type Value } from '../yaml/values.ts';

/**
 * Reads a `variables:` mapping. `keys` lists the keys allowed in a value that is a mapping: `value` and `expand` in
 * jobs, also `description` and `options` at the top level, none in rules and services.
 */
export function readVariables(
  value: Value | undefined,
  at: EntryPath,
  problems: Problems,
  keys: readonly string[],
): PlannedVariable[] {
  if (value === undefined || value === null) return [];
  if (!isMapping(value)) {
    problems.add(at, 'config should be a hash of key value pairs');
    return [];
  }
  return [...value].flatMap(([key, source]) => variable(key, source, [...at, key], problems, keys) ?? []);
}

export const topVariableKeys = ['value', 'expand', 'description', 'options'];
export const jobVariableKeys = ['value', 'expand'];
export const plainVariableKeys: readonly string[] = [];

function variable(
  key: string,
  source: Value,
  at: EntryPath,
  problems: Problems,
  keys: readonly string[],
): PlannedVariable | null {
  const text = source === null ? '' : scalarText(source);
  if (text !== undefined) return { key, value: text, raw: false };
  if (!isMapping(source) || keys.length === 0) {
    const forms = keys.length === 0 ? 'must be a string' : 'must be either a string or a hash';
    problems.add(at, `config ${forms}`);
    return null;
  }
  const unknownKeys = [...source.keys()].filter((name) => !keys.includes(name));
  if (unknownKeys.length > 0) problems.add(at, `config uses invalid data keys: ${unknownKeys.join(', ')}`);
  const value = scalarText(source.get('value') ?? '');
  const expand = source.get('expand') ?? true;
  if (value === undefined) problems.add(at, 'config value must be a string');
  if (typeof expand !== 'boolean') problems.add(at, 'config expand must be a boolean');
  const description = source.get('description') ?? '';
  if (typeof description !== 'string' && !isInteger(description)) {
    problems.add(at, 'config description must be an alphanumeric string');
  }
  const options = source.get('options');
  if (options !== undefined) {
    const allowed = stringList(options);
    if (allowed === undefined) problems.add(at, 'config options must be an array of strings');
    else if (!allowed.includes(value ?? '')) problems.add(at, 'config value must be present in options');
  }
  return { key, value: value ?? '', raw: expand === false };
}

/** Merges lists of variables: later values win, at the position of the first. */
export function mergeVariables(...layers: readonly (readonly PlannedVariable[])[]): PlannedVariable[] {
  const byKey = new Map<string, PlannedVariable>();
  for (const layer of layers) for (const entry of layer) byKey.set(entry.key, entry);
  return [...byKey.values()];
}
