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

/** Stands for whether a text contains another, which the engines are asked in different words: of `contains`. */
export const containing = 'contains_in_any_case';

const raw = (fragments: readonly string[], nodes: readonly (OperationNode | undefined)[]) =>
  RawNode.create(fragments, nodes as OperationNode[]);

function holds({ arguments: [text, glob] }: FunctionNode): RawNode {
  return raw(['lower(', ') glob ', ''], [text, glob]);
}

/** PostgreSQL looks both up in one index; which of the two patterns is null is known before it plans. */
function holdsOneOf({ arguments: [text, , like, regex] }: FunctionNode): RawNode {
  return raw(['(lower(', ') like ', ' or lower(', ') ~ ', ')'], [text, like, text, regex]);
}

const firstInstant = Date.UTC(2001);

function written(node: ValueNode): ValueNode {
  if (typeof node.value === 'string') return ValueNode.createImmediate(node.value);
  if (typeof node.value !== 'number') return node;
  // `Date.now()` while a query is built would be that of its first execution for good: memberships would never end.
  if (node.value > firstInstant) throw new Error(`${node.value} is a moment: bind it, the query is kept`);
  return ValueNode.createImmediate(node.value);
}

const writtenList = ({ values }: PrimitiveValueListNode) =>
  ValueListNode.create(values.map((value) => ValueNode.create(value)));

/**
 * SQLite plans a statement anew each time that its bound limit is given, which takes longer than to run it. A limit that
 * is an expression leaves the plan as it is.
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

/** Writes what the engine has words of its own for. */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func === containing) this.visitNode(holdsOneOf(node));
    else super.visitFunction(node);
  }
}

/**
 * For queries that are kept: writes the numbers and texts that are the same at each execution into their text. The
 * engines then know which of their partial indexes fit, and SQLite does not plan anew at each execution for fear that
 * another value is given, which took fifteen times as long as to count the open issues of a project. What differs is
 * bound: see `Bound`.
 */
export class KeptSqliteCompiler extends SqliteCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(written(node));
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.visitNode(writtenList(node));
  }
}

/** The same for PostgreSQL. */
export class KeptPostgresCompiler extends PostgresCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(written(node));
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.visitNode(writtenList(node));
  }
}
