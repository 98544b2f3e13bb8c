import type { Pace } from '../../../platform/concurrency.ts';
import { ConfigFault } from '../errors.ts';
import { type Budget, maxExtendsDepth, sizeOf } from '../limits.ts';
import { deepMerge } from './merge.ts';
import { isList, isMapping, type Mapping, type Value } from './values.ts';

interface Extended {
  readonly job: Mapping;
  /** Number of `extends` levels below it. */
  readonly depth: number;
}

/** Resolves every `extends`: the bases are merged in order, then the job itself. */
export async function resolveExtends(root: Mapping, budget: Budget, pace: Pace): Promise<Mapping> {
  const done = new Map<string, Extended>();
  const extend = (name: string, trail: readonly string[]): Extended => {
    const cached = done.get(name);
    if (cached !== undefined) return cached;
    const job = root.get(name) as Mapping;
    if (trail.includes(name)) throw new ConfigFault(`${name}: circular dependency detected in \`extends\``);
    if (trail.length > maxExtendsDepth) throw tooDeep(name);
    const names = basesOf(name, job, root);
    if (names === null) return { job, depth: 0 };
    const bases = names.map((base) => extend(base, [...trail, name]));
    const depth = 1 + Math.max(0, ...bases.map((base) => base.depth));
    if (depth > maxExtendsDepth) throw tooDeep(name);
    // Counted per occurrence: the list may contain the same base a hundred thousand times.
    for (const base of bases) budget.spend(sizeOf(base.job));
    const merged = bases.reduce<Mapping>((before, base) => deepMerge(before, base.job), new Map());
    const result = new Map(deepMerge(merged, job));
    result.delete('extends');
    budget.spend(sizeOf(result));
    done.set(name, { job: result, depth });
    return { job: result, depth };
  };
  const result = new Map<string, Value>();
  for (const [name, value] of root) {
    result.set(name, isMapping(value) && value.has('extends') ? extend(name, []).job : value);
    await pace.turn();
  }
  return result;
}

function tooDeep(name: string): ConfigFault {
  return new ConfigFault(`${name}: nesting too deep in \`extends\``);
}

function basesOf(name: string, job: Mapping, root: Mapping): string[] | null {
  const value = job.get('extends');
  if (value === undefined || value === null) return null;
  const bases = (isList(value) ? value : [value]).flat(1);
  if (!bases.every((base) => typeof base === 'string')) {
    throw new ConfigFault(`jobs:${name}:extends config should be an array of strings or a string`);
  }
  const unknown = bases.filter((base) => !root.has(base));
  if (unknown.length > 0) throw new ConfigFault(`${name}: unknown keys in \`extends\` (${unknown.join(', ')})`);
  if (!bases.every((base) => isMapping(root.get(base)))) {
    throw new ConfigFault(`${name}: invalid base hashes in \`extends\``);
  }
  return bases;
}
