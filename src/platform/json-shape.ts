import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';

/** What JSON has to be like to be believed. */
export interface JsonShape<T> {
  fits(value: unknown): value is T;
  /** What is wrong with a value that does not fit, in a few words. */
  problemOf(value: unknown): string;
}

export function jsonShape<S extends TSchema>(schema: S): JsonShape<Static<S>> {
  // Made when first needed: every start would wait for it otherwise.
  let compiled: ReturnType<typeof Compile> | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    fits: (value): value is Static<S> => validator().Check(value),
    problemOf(value) {
      const [, [first]] = validator().Errors(value);
      if (!first) return 'is as it should be';
      return `${first.instancePath.slice(1).replaceAll('/', '.')} ${first.message}`.trim();
    },
  };
}
