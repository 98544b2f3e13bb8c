import type { Pace } from '../../../platform/concurrency.ts';
import { ConfigFault } from '../errors.ts';
import { type Budget, maxReferenceDepth, sizeOf } from '../limits.ts';
import { isList, isMapping, type Mapping, Reference, type Value } from './values.ts';

/** Replaces every `!reference` by its target, which may contain further references. */
export async function resolveReferences(root: Mapping, budget: Budget, pace: Pace): Promise<Mapping> {
  const follow = (reference: Reference, trail: readonly Reference[]): Value => {
    const name = reference.toString();
    if (trail.some((earlier) => earlier.toString() === name)) {
      throw new ConfigFault(`${name} is part of a circular chain`);
    }
    if (trail.length >= maxReferenceDepth) {
      throw new ConfigFault(`${name} exceeds the maximum nesting level of ${maxReferenceDepth} for references`);
    }
    return resolve(lookUp(root, reference), [...trail, reference]);
  };
  const resolve = (value: Value, trail: readonly Reference[]): Value => {
    if (value instanceof Reference) {
      const found = follow(value, trail);
      budget.spend(sizeOf(found));
      return found;
    }
    if (!holdsReference(value)) return value;
    if (isList(value)) return value.map((inner) => resolve(inner, trail));
    return new Map([...(value as Mapping)].map(([key, inner]) => [key, resolve(inner, trail)]));
  };
  const result = new Map<string, Value>();
  for (const [name, value] of root) {
    result.set(name, resolve(value, []));
    await pace.turn();
  }
  return result;
}

/** Cached, because jobs share inherited values: the same list may occur in a thousand of them. */
const referenceCache = new WeakMap<object, boolean>();

function holdsReference(value: Value): boolean {
  if (value instanceof Reference) return true;
  if (!isList(value) && !isMapping(value)) return false;
  const cached = referenceCache.get(value);
  if (cached !== undefined) return cached;
  const found = [...value.values()].some(holdsReference);
  referenceCache.set(value, found);
  return found;
}

function lookUp(root: Mapping, reference: Reference): Value {
  let current: Value | undefined = root;
  for (const key of reference.path) {
    current = isMapping(current) ? current.get(key) : undefined;
    if (current === undefined) throw new ConfigFault(`${reference.toString()} could not be found`);
  }
  return current;
}
