import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';

/** A JSON schema that values from outside are validated against. */
export interface JsonShape<T> {
  fits(value: unknown): value is T;
  /** A short description of why a value does not match. */
  problemOf(value: unknown): string;
}

export function jsonShape<S extends TSchema>(schema: S): JsonShape<Static<S>> {
  // Compiled on first use, so that it does not delay the start.
  let compiled: ReturnType<typeof Compile> | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    fits: (value): value is Static<S> => validator().Check(value),
    problemOf(value) {
      const [, [first]] = validator().Errors(value);
      if (!first) return 'is valid';
      return `${first.instancePath.slice(1).replaceAll('/', '.')} ${first.message}`.trim();
    },
  };
}
