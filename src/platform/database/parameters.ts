/** The values that mean the same on both engines. */
export type Parameter = null | number | bigint | string | Uint8Array;

/**
 * Refuses what the drivers would bend in silence: undefined becomes null in one, a plain object the set of named
 * parameters in the other, NaN null, a Date or boolean a type that only one engine has.
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
    throw new TypeError(`parameter ${index + 1} is ${describe(value)}, which no column can hold, in: ${sql}`);
  }
}

function describe(value: unknown): string {
  if (typeof value === 'object') return `a ${value?.constructor?.name ?? 'plain object'}`;
  return typeof value === 'function' ? 'a function' : String(value);
}
