import { type Kysely, sql } from 'kysely';
import type { CompiledTexts } from '../database/compiled-texts.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { countedRows } from '../database/paging.ts';
import { sessionOf } from '../database/session.ts';
import { written } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { AnyDeclaration } from './declaration.ts';
import { holdsLeftOut } from './filter.ts';
import { type CountedTo, counted, countedAlong } from './merge.ts';
import type { ListQueries } from './queries.ts';
import { areSurelyMore, drawnNumbers, draws, type Numbers, numbersOf } from './sample.ts';
import { type Given, given, planOf, type Wanted } from './wanted.ts';

/** Counts the rows of a list: from a stored count, from a random sample, or by counting. */
export class Counting {
  readonly #list: AnyDeclaration;
  readonly #queries: ListQueries;
  readonly #texts: CompiledTexts<Given>;

  constructor(declaration: AnyDeclaration, queries: ListQueries, texts: CompiledTexts<Given>) {
    this.#list = declaration;
    this.#queries = queries;
    this.#texts = texts;
  }

  async count(db: Reader, walked: Wanted, upTo: 'limit' | 'all'): Promise<number> {
    const kept = await this.#kept(db, walked, upTo);
    if (kept !== undefined) return kept;
    if (upTo === 'limit' && (await this.#areMany(db, walked))) return countedRows + 1;
    return this.total(db, walked, upTo);
  }

  /** The row count from stored counts; scopes without one are counted. Undefined if no scope has a stored count. */
  async #kept(db: Reader, { scopes, sent }: Wanted, upTo: 'limit' | 'all'): Promise<number | undefined> {
    const wanted = { scopes, sent };
    const parts = this.#queries.kept(wanted, sessionOf(db).engine);
    const known = parts.filter((part) => part !== undefined);
    if (known.length === 0) return undefined;
    const [found] = await this.#texts.run(db, `kept ${this.#queries.shape(wanted)}`, given(wanted), (compiler) =>
      written<{ total: number }>(compiler, sql`select ${sql.join(known, sql` + `)} as total`),
    );
    const others = scopes.filter((_, index) => parts[index] === undefined);
    const more = others.length === 0 ? 0 : await this.total(db, { scopes: others, sent }, upTo);
    const total = Number(found?.total ?? 0) + more;
    return upTo === 'all' ? total : Math.min(total, countedRows + 1);
  }

  /** Approximate number of rows in scope before filtering; undefined if it cannot be read cheaply. */
  async about(db: Reader, { scopes }: Wanted): Promise<number | undefined> {
    const wanted = { scopes, sent: { is: {}, not: {} } };
    const about = this.#queries.about(wanted, sessionOf(db).engine);
    if (about === undefined) return undefined;
    const [found] = await this.#texts.run(db, `about ${this.#queries.shape(wanted)}`, given(wanted), (compiler) =>
      written<{ total: number }>(compiler, sql`select ${about} as total`),
    );
    return Number(found?.total ?? 0);
  }

  async total(db: Reader, walked: Wanted, upTo: CountedTo): Promise<number> {
    const { joined } = walked;
    const wanted = joined ? { ...walked, scopes: joined.scopes } : walked;
    const shape = `count ${upTo} ${joined?.filter ?? ''} ${this.#queries.shape(wanted)}`;
    const build = (compiler: Kysely<Tables>, engine: Engine) => {
      const parts = wanted.scopes.map((_, index) => this.#queries.matching(compiler, wanted, index, engine).query);
      const [only] = parts.length === 1 ? parts : [];
      const along = joined && engine === 'sqlite' && this.#queries.isComplete(wanted, joined.filter, 0, engine);
      return only && along && upTo !== 'all' ? countedAlong(compiler, only, upTo) : counted(compiler, parts, upTo);
    };
    const [found] = await this.#texts.run(db, shape, given(wanted), build, planOf(wanted, 'all'));
    return Number(found?.total ?? 0);
  }

  /** Whether the list is known to exceed the count limit without counting it. */
  async #areMany(db: Reader, walked: Wanted): Promise<boolean> {
    const { among, joined, scopes } = walked;
    if (among || joined) return false;
    const wide = scopes.some((scope) => this.#list.isWide?.(scope as Record<string, unknown>));
    return (wide && (await this.meetsMany(db, walked, draws.rows))) || this.#surelyMany(db, walked);
  }

  /**
   * Whether the list exceeds the count limit whatever its negated filters exclude; evaluating these for each row takes
   * far longer.
   */
  async #surelyMany(db: Reader, walked: Wanted): Promise<boolean> {
    const { scopes, sent } = walked;
    const negated = Object.entries(sent.not);
    if (negated.length === 0 || scopes.length > 2) return false;
    if (!negated.every(([name, meaning]) => holdsLeftOut(this.#queries.drive(name), meaning))) return false;
    // With two scopes, the first alone may exceed the limit.
    const first = { ...walked, scopes: scopes.slice(0, 1) };
    const shape = this.#queries.shape(first);
    const [left] = await this.#texts.run(db, `unnegated ${shape}`, given(first), (compiler, engine) =>
      this.#queries.unnegated(compiler, first, engine),
    );
    const total = Number(left?.total ?? 0);
    if (total <= countedRows) return false;
    const last = left?.last == null ? {} : { last: Number(left.last) };
    const [missing] = await this.#texts.run(db, `left out ${shape}`, { ...given(first), ...last }, (compiler, engine) =>
      this.#queries.leftOut(compiler, first, engine),
    );
    const most = Number(missing?.total ?? total);
    return most <= countedRows && total - most > countedRows;
  }

  /**
   * Whether a random sample shows that more rows match than are counted. A frequent word occurs in most sampled rows.
   */
  async meetsMany(db: Reader, wanted: Wanted, drawn: number = draws.words): Promise<boolean> {
    if (wanted.scopes.length > 1) return false;
    const [numbers] = await this.#texts.run<Numbers>(db, 'numbers', given(wanted), (compiler) =>
      numbersOf(compiler, this.#list.id, this.#list.part),
    );
    if (!numbers) return false;
    const among = drawnNumbers(numbers, drawn);
    if (among.length === 0) return false;
    const met = await this.total(db, { ...wanted, among, drivenBy: 'a sample' }, 'limit');
    return areSurelyMore(met, among.length, numbers);
  }
}
