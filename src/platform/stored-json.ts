import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';

/**
 * Reads what the server itself has written into a column as JSON. Anything else there is a bug, or the work of somebody
 * else: it is thrown at once, rather than believed.
 */
export function storedJson<S extends TSchema>(schema: S): (text: string) => Static<S> {
  // Made when first needed: every start would wait for it otherwise.
  let validator: { Check(value: unknown): boolean } | undefined;
  return (text) => {
    const value: unknown = JSON.parse(text);
    validator ??= Compile(schema);
    if (validator.Check(value)) return value as Static<S>;
    throw new TypeError(`stored JSON is not as its schema has it: ${text.slice(0, 100)}`);
  };
}

/** A list of texts, which is what most such columns hold. */
export const storedStrings = storedJson(Type.Array(Type.String()));
/** An object whose values are whatever was put there. */
export const storedRecord = storedJson(Type.Record(Type.String(), Type.Unknown()));
/** An object of texts. */
export const storedTexts = storedJson(Type.Record(Type.String(), Type.String()));
