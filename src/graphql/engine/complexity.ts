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

/** The cost of a query, computed before it is resolved. */
export interface Complexity {
  readonly depth: number;
  readonly complexity: number;
  /** Introspection fields, counted separately because they read no data. */
  readonly introspection: number;
}

/** Maximum number of selections, counting those of fragments at each use; no legitimate query has more. */
export const maxSelections = 3000;
/** Selections below this depth are not visited, because fragments may be circular. */
export const maxDepth = 50;

/** The query has too many selections to be analysed. */
export class TooManySelections extends Error {}

type Variables = Readonly<Record<string, unknown>>;
type Arguments = ReadonlyMap<string, unknown>;

/**
 * Computes the complexity of an operation by GitLab's documented rules: a field costs 1 plus its subfields; a list
 * costs 1 (5 more with a search, 1 more with a sort order) plus its subfields, and 1% of that for each requested
 * element; a list embedded in its parent's response counts as a plain field. Fields selected twice under the same
 * response name count once, as they are executed once.
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

  /** The complexity of the fields selected of a type. */
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

  /** The selected fields of a type, grouped by response name. */
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

/** Maximum and default page size of lists. */
export const maxPageSize = 100;

/** The complexity of a list, by its subfields and arguments. */
export function listComplexity(inside: number, args: Arguments): number {
  const extra = (args.get('sort') == null ? 0 : 1) + (args.get('search') == null ? 0 : 5);
  const own = 1 + extra + inside;
  // Lists filtered by iid are short, whatever page size is requested.
  if (args.get('iid') != null || args.get('iids') != null) return own;
  const sizes = [args.get('first'), args.get('last'), maxPageSize].filter((size) => typeof size === 'number');
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

/** The value of an argument as far as it affects complexity: a number, or whether it is set. */
function plain(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value];
  if (value.kind === Kind.NULL) return null;
  return value.kind === Kind.INT ? Number(value.value) : true;
}
