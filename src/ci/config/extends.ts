import { ConfigFault } from './errors.ts';
import { type Budget, deepestExtends, sizeOf } from './limits.ts';
import { deepMerge } from './merge.ts';
import { isList, isMapping, type Mapping, type Value } from './values.ts';

/** Writes out every `extends`: the bases merged in their order, the job itself over them. */
export function resolveExtends(root: Mapping, budget: Budget): Mapping {
  const done = new Map<string, Mapping>();
  const extend = (name: string, trail: readonly string[]): Mapping => {
    const known = done.get(name);
    if (known !== undefined) return known;
    const job = root.get(name) as Mapping;
    if (trail.includes(name)) throw new ConfigFault(`${name}: circular dependency detected in \`extends\``);
    if (trail.length > deepestExtends) throw new ConfigFault(`${name}: nesting too deep in \`extends\``);
    const bases = basesOf(name, job, root);
    if (bases === null) return job;
    let merged: Mapping = new Map();
    for (const base of bases) merged = deepMerge(merged, extend(base, [...trail, name]));
    const result = new Map(deepMerge(merged, job));
    result.delete('extends');
    budget.spend(sizeOf(result));
    done.set(name, result);
    return result;
  };
  return new Map(
    [...root].map(([name, value]): [string, Value] =>
      isMapping(value) && value.has('extends') ? [name, extend(name, [])] : [name, value],
    ),
  );
}

function basesOf(name: string, job: Mapping, root: Mapping): string[] | null {
  const written = job.get('extends');
  if (written === undefined || written === null) return null;
  const bases = (isList(written) ? written : [written]).flat(1);
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
