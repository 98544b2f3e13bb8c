import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { bind } from './bound.ts';
import type { Engine, Reader } from './engine.ts';
import { compilerOf } from './kysely.ts';
import { sessionOf } from './session.ts';
import type { Tables } from './tables.ts';

/**
 * Maximum number of cached statements per query and engine; if callers try every combination of filters, the least
 * recently used are evicted.
 */
const maxStatements = 200;

/** Whether PostgreSQL prepares the statement and may reuse one generic plan for all values. */
export type PlanMode = 'generic' | 'custom';

/**
 * Compiled statements of one query that comes in many shapes. Each shape is compiled once and then executed with its
 * values.
 */
export class StatementCache<Inputs> {
  readonly #statements: Partial<Record<Engine, LRUCache<string, CompiledQuery>>> = {};

  async run<R>(
    db: Reader,
    shape: string,
    inputs: Inputs,
    build: (db: Kysely<Tables>, engine: Engine) => Compilable<R>,
    plan: PlanMode = 'custom',
  ): Promise<R[]> {
    const session = sessionOf(db);
    const statements = this.#statementsFor(session.engine);
    let statement = statements.get(shape);
    if (!statement) {
      statement = build(compilerOf(session.engine), session.engine).compile();
      statements.set(shape, statement);
    }
    const { sql, query, queryId } = statement;
    const parameters = bind(statement.parameters, inputs);
    const bound = { sql, query, queryId, parameters };
    return (await (plan === 'generic' ? session.executePrepared<R>(bound) : session.executeQuery<R>(bound))).rows;
  }

  #statementsFor(engine: Engine): LRUCache<string, CompiledQuery> {
    const known = this.#statements[engine];
    if (known) return known;
    const statements = new LRUCache<string, CompiledQuery>({ max: maxStatements });
    this.#statements[engine] = statements;
    return statements;
  }
}
