import {
  type LimitNode,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
  SqliteQueryCompiler,
  ValueListNode,
  ValueNode,
} from 'kysely';

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
export class KeptPostgresCompiler extends PostgresQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(written(node));
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.visitNode(writtenList(node));
  }
}
