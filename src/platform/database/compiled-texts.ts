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
const kept = 200;

/** Whether PostgreSQL prepares the statement and may reuse one generic plan for all values. */
export type Plan = 'kept' | 'made each time';

/**
 * Compiled statements of one query that comes in many shapes. Each shape is compiled once and then executed with its
 * values.
 */
export class CompiledTexts<Given> {
  readonly #texts: Partial<Record<Engine, LRUCache<string, CompiledQuery>>> = {};

  async run<R>(
    db: Reader,
    shape: string,
    given: Given,
    build: (db: Kysely<Tables>, engine: Engine) => Compilable<R>,
    plan: Plan = 'made each time',
  ): Promise<R[]> {
    const session = sessionOf(db);
    const texts = this.#textsFor(session.engine);
    let text = texts.get(shape);
    if (!text) {
      text = build(compilerOf(session.engine), session.engine).compile();
      texts.set(shape, text);
    }
    const { sql, query, queryId } = text;
    const parameters = bind(text.parameters, given);
    const asked = { sql, query, queryId, parameters };
    return (await (plan === 'kept' ? session.executeAgain<R>(asked) : session.executeQuery<R>(asked))).rows;
  }

  #textsFor(engine: Engine): LRUCache<string, CompiledQuery> {
    const known = this.#texts[engine];
    if (known) return known;
    const texts = new LRUCache<string, CompiledQuery>({ max: kept });
    this.#texts[engine] = texts;
    return texts;
  }
}
