/** The parameter types that behave the same on both engines. */
export type Parameter = null | number | bigint | string | Uint8Array;

/**
 * Rejects parameters that the drivers would silently convert: undefined becomes null in one, a plain object becomes a
 * set of named parameters in the other, NaN becomes null, and only one engine has types for Date and boolean.
 */
export function checkParameters(sql: string, parameters: readonly unknown[]): asserts parameters is Parameter[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    switch (typeof value) {
      case 'string':
      case 'bigint':
        continue;
      case 'number':
        if (Number.isFinite(value)) continue;
        break;
      case 'object':
        if (value === null || value instanceof Uint8Array) continue;
    }
    throw new TypeError(`parameter ${index + 1} is ${describe(value)}, which cannot be bound, in: ${sql}`);
  }
}

function describe(value: unknown): string {
  if (typeof value === 'object') return `a ${value?.constructor?.name ?? 'plain object'}`;
  return typeof value === 'function' ? 'a function' : String(value);
}
