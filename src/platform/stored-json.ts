import { type Static, type TSchema, Type } from 'typebox';
import { jsonShape } from './json-shape.ts';

/**
 * Parses JSON that the server itself has written into a column. Anything that does not match the schema is a bug or was
 * written by something else, and throws.
 */
export function storedJson<S extends TSchema>(schema: S): (text: string) => Static<S> {
  const shape = jsonShape(schema);
  return (text) => {
    const value: unknown = JSON.parse(text);
    if (shape.fits(value)) return value;
    throw new TypeError(`stored JSON does not match its schema: ${text.slice(0, 100)}`);
  };
}

/** A list of strings, as in most such columns. */
export const storedStrings = storedJson(Type.Array(Type.String()));
/** An object with values of any type. */
export const storedRecord = storedJson(Type.Record(Type.String(), Type.Unknown()));
/** An object with string values. */
export const storedStringMap = storedJson(Type.Record(Type.String(), Type.String()));
