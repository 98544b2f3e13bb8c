import { isMapping, type Mapping, type Value } from './values.ts';

/** Mappings are merged key by key, anything else is replaced: how includes and `extends` come together. */
export function deepMerge(base: Mapping, over: Mapping): Mapping {
  const result = new Map<string, Value>(base);
  for (const [key, value] of over) {
    const below = result.get(key);
    result.set(key, isMapping(below) && isMapping(value) ? deepMerge(below, value) : value);
  }
  return result;
}
