import {
  type FunctionNode,
  type LimitNode,
  type OperationNode,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
  RawNode,
  SqliteQueryCompiler,
  ValueListNode,
  ValueNode,
} from 'kysely';

/** The name of a placeholder function for `contains`, which each compiler replaces with its engine's syntax. */
export const containing = 'contains_in_any_case';

const raw = (fragments: readonly string[], nodes: readonly (OperationNode | undefined)[]) =>
  RawNode.create(fragments, nodes as OperationNode[]);

function holds({ arguments: [text, glob] }: FunctionNode): RawNode {
  return raw(['lower(', ') glob ', ''], [text, glob]);
}

/** PostgreSQL answers both from one index; which of the two patterns is null is known before it plans. */
function holdsOneOf({ arguments: [text, , like, regex] }: FunctionNode): RawNode {
  return raw(['(lower(', ') like ', ' or lower(', ') ~ ', ')'], [text, like, text, regex]);
}

const firstInstant = Date.UTC(2001);

function inlined(node: ValueNode): ValueNode {
  if (typeof node.value === 'string') return ValueNode.createImmediate(node.value);
  if (typeof node.value !== 'number') return node;
  // `Date.now()` while a query is built would be frozen at its first execution: memberships would never expire.
  if (node.value > firstInstant) throw new Error(`${node.value} is a timestamp: bind it, because the query is cached`);
  return ValueNode.createImmediate(node.value);
}

const inlinedList = ({ values }: PrimitiveValueListNode) =>
  ValueListNode.create(values.map((value) => ValueNode.create(value)));

/**
 * SQLite re-plans a statement each time its limit is bound, which takes longer than to run it. A limit that is an
 * expression does not cause this.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }

  protected override visitFunction(node: FunctionNode): void {
    if (node.func === containing) this.visitNode(holds(node));
    else super.visitFunction(node);
  }
}

/** Compiles placeholder functions to PostgreSQL syntax. */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func === containing) this.visitNode(holdsOneOf(node));
    else super.visitFunction(node);
  }
}

/**
 * For cached queries: writes constant numbers and texts into the SQL. The engines then know which partial indexes
 * apply, and SQLite does not re-plan at each execution because a parameter might have changed, which took fifteen times
 * as long as counting the open issues of a project. Values that vary are bound: see `Bound`.
 */
export class CachedSqliteCompiler extends SqliteCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(inlined(node));
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.visitNode(inlinedList(node));
  }
}

/** The same for PostgreSQL. */
export class CachedPostgresCompiler extends PostgresCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(inlined(node));
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.visitNode(inlinedList(node));
  }
}
