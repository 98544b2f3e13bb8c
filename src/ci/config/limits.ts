import type { Limits } from './context.ts';
import { ConfigFault } from './errors.ts';
import { isList, isMapping, type Value } from './yaml/values.ts';

export const defaultLimits: Limits = {
  fileBytes: 2 * 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  files: 150,
  values: 2_000_000,
  jobs: 10_000,
  needs: 50,
};

export const maxYamlDepth = 100;
export const maxExtendsDepth = 11;
export const maxReferenceDepth = 10;
export const maxNesting = 10;

/**
 * Limits the number of values after expanding aliases, references and `extends`. A few lines can expand to billions of
 * values; whatever is within the budget can be traversed safely.
 */
export class Budget {
  private available: number;

  constructor(values: number) {
    this.available = values;
  }

  get remaining(): number {
    return this.available;
  }

  spend(values: number): void {
    this.available -= values;
    if (this.available < 0) throw new ConfigFault('The parsed YAML is too big');
  }
}

/** Total of text length times pattern weight; a few seconds at most. */
const maxEffort = 1_000_000_000;

/** Limits the total cost of evaluating the rules of a file, regardless of the number of jobs. */
export class EvaluationBudget {
  private available = maxEffort;

  spend(steps: number): void {
    this.available -= steps;
    if (this.available < 0) throw new ConfigFault('The rules of the configuration take too long to evaluate');
  }
}

const sizes = new WeakMap<object, number>();

/**
 * Number of values contained in a value, including itself. Shared values count wherever they occur, but are only
 * visited once.
 */
export function sizeOf(value: Value): number {
  if (!isList(value) && !isMapping(value)) return 1;
  const cached = sizes.get(value);
  if (cached !== undefined) return cached;
  let size = 1;
  for (const inner of value.values()) size += sizeOf(inner);
  sizes.set(value, size);
  return size;
}
