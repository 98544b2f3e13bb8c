import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { embeddedLists } from './embedded-lists.ts';

/** What a query would cost, worked out before any of it is resolved. */
export interface Complexity {
  readonly depth: number;
  readonly complexity: number;
  /** Fields that ask about the schema: they are counted apart, since they read nothing. */
  readonly introspection: number;
}

/** Selections looked at, repeated ones and those of fragments each time: more is no query that a client means. */
export const maxSelections = 3000;
/** What is deeper is not looked at: a circle of fragments has no end. */
export const maxDepth = 50;

/** The query has too many selections to be looked at. */
export class TooManySelections extends Error {}

type Variables = Readonly<Record<string, unknown>>;
type Arguments = ReadonlyMap<string, unknown>;

/**
 * Weighs an operation as GitLab's documents say: a field is 1 and what is below it; a list is 1 (a search in it 5 more, an
 * order of its own 1 more) and what is below, and 1% of that more for each element it may have; one that what it belongs to
 * carries is a field like any other. Fields that are asked for
 * twice under one name are one field, as they are when the query is carried out.
 */
export function measureComplexity(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Complexity {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const walk = new Walk(schema, fragments, { ...defaultsOf(operation), ...variables });
  const complexity = walk.below(schema.getRootType(operation.operation) ?? undefined, [operation.selectionSet], 1);
  return { depth: walk.depth, introspection: walk.introspection, complexity: Math.floor(complexity) };
}

class Walk {
  depth = 0;
  introspection = 0;
  #selections = 0;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  /** The complexity of what is selected of a type. */
  below(parent: GraphQLCompositeType | undefined, sets: readonly SelectionSetNode[], depth: number): number {
    let sum = 0;
    for (const same of this.#fieldsOf(parent, sets).values()) sum += this.#complexityOf(same, depth);
    return sum;
  }

  #complexityOf(same: readonly Selected[], depth: number): number {
    const [{ node, parent }] = same as readonly [Selected];
    const name = node.name.value;
    const sets = same.flatMap((each) => (each.node.selectionSet ? [each.node.selectionSet] : []));
    if (name === '__schema' || name === '__type') {
      this.introspection += this.#countAll(sets, 1);
      return 0;
    }
    this.depth = Math.max(this.depth, depth);
    if (depth > maxDepth) return 0;
    const field = parent && this.#schema.getField(parent, name);
    const type = field ? getNamedType(field.type) : undefined;
    const inside = this.below(isCompositeType(type) ? type : undefined, sets, depth + 1);
    const isList = type?.name.endsWith('Connection') && !(field?.resolve && embeddedLists.has(field.resolve));
    if (!isList) return 1 + inside;
    return listComplexity(inside, argumentsOf(node, this.#variables));
  }

  /** The fields of a type by the names that they are answered under. */
  #fieldsOf(parent: GraphQLCompositeType | undefined, sets: readonly SelectionSetNode[]): Map<string, Selected[]> {
    const found = new Map<string, Selected[]>();
    const spread = new Set<string>();
    const collect = (set: SelectionSetNode, type: GraphQLCompositeType | undefined): void => {
      for (const selection of set.selections) {
        this.#count();
        if (selection.kind === Kind.FIELD) {
          const key = `${type?.name} ${(selection.alias ?? selection.name).value}`;
          const same = found.get(key);
          if (same) same.push({ node: selection, parent: type });
          else found.set(key, [{ node: selection, parent: type }]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          collect(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value) ?? type);
        } else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment) collect(fragment.selectionSet, this.#typeOf(fragment.typeCondition.name.value) ?? type);
        }
      }
    };
    for (const set of sets) collect(set, parent);
    return found;
  }

  #countAll(sets: readonly SelectionSetNode[], depth: number): number {
    if (depth > maxDepth) return 0;
    let sum = 1;
    for (const same of this.#fieldsOf(undefined, sets).values()) {
      sum += this.#countAll(
        same.flatMap(({ node }) => (node.selectionSet ? [node.selectionSet] : [])),
        depth + 1,
      );
    }
    return sum;
  }

  #count(): void {
    this.#selections += 1;
    if (this.#selections > maxSelections) throw new TooManySelections();
  }

  #typeOf(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : this.#schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }
}

interface Selected {
  readonly node: FieldNode;
  readonly parent: GraphQLCompositeType | undefined;
}

/** The largest page of a list, and what is given where nothing is said. */
export const maxPageSize = 100;

/** A list, by what is selected of it and how much of it is asked for. */
export function listComplexity(inside: number, given: Arguments): number {
  const extra = (given.get('sort') == null ? 0 : 1) + (given.get('search') == null ? 0 : 5);
  const own = 1 + extra + inside;
  // What is named by its numbers is little, however much may be asked for.
  if (given.get('iid') != null || given.get('iids') != null) return own;
  const sizes = [given.get('first'), given.get('last'), maxPageSize].filter((size) => typeof size === 'number');
  return own + (own * Math.max(0, Math.min(...sizes))) / 100;
}

function argumentsOf(node: FieldNode, variables: Variables): Arguments {
  return new Map((node.arguments ?? []).map(({ name, value }) => [name.value, plain(value, variables)]));
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, plain(defaultValue, {})]] : [],
    ),
  );
}

/** A value as far as it decides what a list costs: a number, or whether there is one. */
function plain(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value];
  if (value.kind === Kind.NULL) return null;
  return value.kind === Kind.INT ? Number(value.value) : true;
}
