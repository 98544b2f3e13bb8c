import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { bind } from './bound.ts';
import type { Engine, Reader } from './engine.ts';
import { compilerOf } from './kysely.ts';
import { sessionOf } from './session.ts';
import type { Tables } from './tables.ts';

/** How many texts of one query are kept: whoever tries every combination of filters pushes out what was not asked for longest. */
const kept = 200;

/** Whether PostgreSQL keeps the plan of a text, which is then one for any values. */
export type Plan = 'kept' | 'made each time';

/** The texts of one query that comes in many shapes, each built once and then given its values. */
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
