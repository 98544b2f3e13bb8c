import { type Static, type TSchema, Type } from 'typebox';
import { jsonShape } from './json-shape.ts';

/**
 * Reads what the server itself has written into a column as JSON. Anything else there is a bug, or the work of somebody
 * else: it is thrown at once, rather than believed.
 */
export function storedJson<S extends TSchema>(schema: S): (text: string) => Static<S> {
  const shape = jsonShape(schema);
  return (text) => {
    const value: unknown = JSON.parse(text);
    if (shape.fits(value)) return value;
    throw new TypeError(`stored JSON is not as its schema has it: ${text.slice(0, 100)}`);
  };
}

/** A list of texts, which is what most such columns hold. */
export const storedStrings = storedJson(Type.Array(Type.String()));
/** An object whose values are whatever was put there. */
export const storedRecord = storedJson(Type.Record(Type.String(), Type.Unknown()));
/** An object of texts. */
export const storedTexts = storedJson(Type.Record(Type.String(), Type.String()));
