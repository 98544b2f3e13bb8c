import {
  buildSchema,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from './context.ts';
import { expectGlobalId, idScalars } from './global-ids.ts';

export type Resolve = (source: Entity, args: Entity, context: ResolverContext, info: GraphQLResolveInfo) => unknown;

/** A part of the schema: its types, and resolvers for fields that differ from the API's. */
export interface Part {
  /** Type definitions, with `extend type Query` or `Mutation` for entry points. */
  readonly types: string;
  /** Resolvers by type and field. The default is the entity's field of the same name: `web_url` for `webUrl`. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, Resolve>>>>;
  /** The concrete type of an entity, for interfaces and unions. */
  readonly kinds?: Readonly<Record<string, (source: Entity) => string>>;
}

/** Joins the parts to a schema. Resolvers of unknown types or fields are bugs and throw at startup. */
export function joinParts(parts: readonly Part[]): GraphQLSchema {
  const schema = buildSchema(parts.map(({ types }) => types).join('\n'));
  for (const { fields, kinds = {} } of parts) {
    for (const [name, resolvers] of Object.entries(fields)) giveFields(schema, name, resolvers);
    for (const [name, kind] of Object.entries(kinds)) {
      const type = schema.getType(name);
      if (!isAbstractType(type)) throw new Error(`${name} is neither an interface nor a union`);
      type.resolveType = kind;
    }
  }
  for (const type of Object.values(schema.getTypeMap())) if (isScalarType(type)) setCoercions(type);
  return schema;
}

function giveFields(schema: GraphQLSchema, name: string, resolvers: Readonly<Record<string, Resolve>>): void {
  const type = schema.getType(name);
  // Resolvers of an interface apply to all its types.
  const types = isInterfaceType(type) ? schema.getPossibleTypes(type) : [type];
  for (const each of types) {
    if (!isObjectType(each)) throw new Error(`${name} is not an object type`);
    for (const [field, resolve] of Object.entries(resolvers)) {
      const declared = each.getFields()[field];
      if (!declared) throw new Error(`${each.name} has no field ${field}`);
      declared.resolve ??= resolve;
    }
  }
}

/** Sets the input and output conversions of a scalar. */
function setCoercions(type: GraphQLScalarType): void {
  const models = idScalars[type.name];
  if (models) type.coerceInputValue = (value) => expectGlobalId(value, models);
  if (type.name !== 'Time') return;
  type.coerceInputValue = readTime;
  // The API returns milliseconds, which some GraphQL clients do not expect.
  type.coerceOutputValue = (value) => String(value).replace(/\.\d+(?=Z|[+-]|$)/, '');
}

function readTime(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new GraphQLError(`${JSON.stringify(value)} is not a valid Time`);
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const names = new Map<string, string>();

/** Resolves a field to the entity's field of the same name, calling it if it is a function. */
export const entityField: GraphQLFieldResolver<Entity, ResolverContext> = (source, _args, _context, { fieldName }) => {
  let name = names.get(fieldName);
  if (name === undefined) {
    name = snake(fieldName);
    names.set(fieldName, name);
  }
  const value = source[fieldName] ?? source[name] ?? null;
  return typeof value === 'function' ? value.call(source) : value;
};
