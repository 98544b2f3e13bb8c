import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/schema';

/**
 * Reads what the server itself has written into a column as JSON. Anything else there is a bug, or the work of somebody
 * else: it is thrown at once, rather than believed.
 */
export function storedJson<S extends TSchema>(schema: S): (text: string) => Static<S> {
  return (text) => {
    const value: unknown = JSON.parse(text);
    if (!Check(schema, value)) throw new TypeError(`stored JSON is not as its schema has it: ${text.slice(0, 100)}`);
    return value;
  };
}
