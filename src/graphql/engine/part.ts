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

export type Resolve = (source: Entity, given: Entity, context: ResolverContext, info: GraphQLResolveInfo) => unknown;

/** A part of the schema: its types, and where their fields come from that are not named as the API names them. */
export interface Part {
  /** Types, and `extend type Query` or `Mutation` for what can be asked. */
  readonly types: string;
  /** By type and field. A field without one is the entity's of the same name, `webUrl` its `web_url`. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, Resolve>>>>;
  /** Of which type an entity is, for interfaces and unions. */
  readonly kinds?: Readonly<Record<string, (source: Entity) => string>>;
}

/** Joins the parts to one schema. What they give fields to must be there: a wrong name is a bug found at the start. */
export function joinParts(parts: readonly Part[]): GraphQLSchema {
  const schema = buildSchema(parts.map(({ types }) => types).join('\n'));
  for (const { fields, kinds = {} } of parts) {
    for (const [name, resolvers] of Object.entries(fields)) giveFields(schema, name, resolvers);
    for (const [name, kind] of Object.entries(kinds)) {
      const type = schema.getType(name);
      if (!isAbstractType(type)) throw new Error(`${name} is no interface and no union`);
      type.resolveType = kind;
    }
  }
  for (const type of Object.values(schema.getTypeMap())) if (isScalarType(type)) teach(type);
  return schema;
}

function giveFields(schema: GraphQLSchema, name: string, resolvers: Readonly<Record<string, Resolve>>): void {
  const type = schema.getType(name);
  // What every type of an interface has is said once.
  const types = isInterfaceType(type) ? schema.getPossibleTypes(type) : [type];
  for (const each of types) {
    if (!isObjectType(each)) throw new Error(`${name} is no type with fields`);
    for (const [field, resolve] of Object.entries(resolvers)) {
      const declared = each.getFields()[field];
      if (!declared) throw new Error(`${each.name} has no field ${field}`);
      declared.resolve ??= resolve;
    }
  }
}

/** What a scalar is read as, and how it is written. */
function teach(type: GraphQLScalarType): void {
  const models = idScalars[type.name];
  if (models) type.coerceInputValue = (value) => expectGlobalId(value, models);
  if (type.name !== 'Time') return;
  type.coerceInputValue = readTime;
  // The API tells milliseconds, which some readers of times do not expect here.
  type.coerceOutputValue = (value) => String(value).replace(/\.\d+(?=Z|[+-]|$)/, '');
}

function readTime(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new GraphQLError(`${JSON.stringify(value)} is not a valid Time`);
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const names = new Map<string, string>();

/** The entity's field of the same name; a function of it is asked. */
export const entityField: GraphQLFieldResolver<Entity, ResolverContext> = (source, _given, _context, { fieldName }) => {
  let name = names.get(fieldName);
  if (name === undefined) {
    name = snake(fieldName);
    names.set(fieldName, name);
  }
  const value = source[fieldName] ?? source[name] ?? null;
  return typeof value === 'function' ? value.call(source) : value;
};
