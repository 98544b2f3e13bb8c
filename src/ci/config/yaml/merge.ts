import { isMapping, type Mapping, type Value } from './values.ts';

/** Merges mappings recursively and replaces all other values, as for includes and `extends`. */
export function deepMerge(base: Mapping, overriding: Mapping): Mapping {
  const result = new Map<string, Value>(base);
  for (const [key, value] of overriding) {
    const previous = result.get(key);
    result.set(key, isMapping(previous) && isMapping(value) ? deepMerge(previous, value) : value);
  }
  return result;
}
