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
 * Counts the values that aliases, references and `extends` come to when they are written out. A few lines of each can stand
 * for billions; what has been counted can be walked without fear.
 */
export class Budget {
  private left: number;

  constructor(values: number) {
    this.left = values;
  }

  get remaining(): number {
    return this.left;
  }

  spend(values: number): void {
    this.left -= values;
    if (this.left < 0) throw new ConfigFault('The parsed YAML is too big');
  }
}

/** Characters times the weight of the pattern they are held against, altogether: some seconds at the very most. */
const maxEffort = 1_000_000_000;

/** What the rules of a file may cost, however many jobs ask them. */
export class Effort {
  private left = maxEffort;

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new ConfigFault('The rules of the configuration take too long to evaluate');
  }
}

const sizes = new WeakMap<object, number>();

/** How many values a value holds, itself included. What is shared is counted wherever it stands, and looked at once. */
export function sizeOf(value: Value): number {
  if (!isList(value) && !isMapping(value)) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const inner of value.values()) size += sizeOf(inner);
  sizes.set(value, size);
  return size;
}
