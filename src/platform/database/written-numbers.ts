import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
  ValueNode,
} from 'kysely';

const firstInstant = Date.UTC(2001);

class Writer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    if (typeof node.value !== 'number') return node;
    // `Date.now()` while a query is built would be that of its first execution for good: memberships would never end.
    if (node.value > firstInstant) throw new Error(`${node.value} is a moment: bind it, the query is kept`);
    return ValueNode.createImmediate(node.value);
  }
}

/**
 * Writes the numbers that are the same at each execution of a query into its text. The engines then know which of
 * their partial indexes fit, and SQLite does not plan anew for fear that another number is given.
 */
export class WrittenNumbers implements KyselyPlugin {
  readonly #writer = new Writer();

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#writer.transformNode(node);
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}
