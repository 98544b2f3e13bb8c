import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

export type Serializer = (value: unknown) => string;

let compiled = 0;

/** How many schemas this process has compiled. */
export function compiledSchemas(): number {
  return compiled;
}

const serializers = new WeakMap<object, Serializer>();

// Compiling hundreds of schemas at start costs seconds and hundreds of megabytes, so each is compiled on first use.
/** The serializer of a schema. It is also the whitelist: a field that is not declared never leaves the server. */
export function serializerOf(schema: TSchema): Serializer {
  const known = serializers.get(schema);
  if (known) return known;
  compiled += 1;
  // A plain copy: fast-json-stringify must not see TypeBox's markers, nor add its own to our shared schemas.
  const plain = JSON.parse(JSON.stringify(schema), keepOrder) as fastJsonStringify.Schema;
  const serializer = fastJsonStringify(plain) as Serializer;
  serializers.set(schema, serializer);
  return serializer;
}

/**
 * Keeps the declared order: fast-json-stringify writes required fields first, so from the first optional one on, none
 * is declared as required.
 */
function keepOrder(_key: string, value: { properties?: object; required?: unknown } | null): unknown {
  if (!value?.properties || !Array.isArray(value.required)) return value;
  const { required } = value;
  const fields = Object.keys(value.properties);
  const first = fields.findIndex((field) => !required.includes(field));
  return first < 0 ? value : { ...value, required: fields.slice(0, first) };
}
