import { type Kysely, sql } from 'kysely';
import type { Engine, Reader } from '../database/engine.ts';
import { maxCountedRows } from '../database/paging.ts';
import { sessionOf } from '../database/session.ts';
import { rawQuery } from '../database/shaped.ts';
import type { StatementCache } from '../database/statement-cache.ts';
import type { Tables } from '../database/tables.ts';
import type { AnyDeclaration } from './declaration.ts';
import { containsExcluded } from './filter.ts';
import { inputsOf, type ListPlan, planModeOf, type QueryInputs } from './list-plan.ts';
import { type CountLimit, countByOffset, countQueries } from './merge.ts';
import type { ListQueries } from './queries.ts';
import { type IdRange, idRangeOf, randomIds, sampleSizes, surelyExceedsLimit } from './sample.ts';

/** Counts the rows of a list: from a stored count, from a random sample, or by counting. */
export class Counting {
  readonly #list: AnyDeclaration;
  readonly #queries: ListQueries;
  readonly #statements: StatementCache<QueryInputs>;

  constructor(declaration: AnyDeclaration, queries: ListQueries, statements: StatementCache<QueryInputs>) {
    this.#list = declaration;
    this.#queries = queries;
    this.#statements = statements;
  }

  async count(db: Reader, base: ListPlan, upTo: 'limit' | 'all'): Promise<number> {
    const stored = await this.#storedCount(db, base, upTo);
    if (stored !== undefined) return stored;
    if (upTo === 'limit' && (await this.#exceedsLimit(db, base))) return maxCountedRows + 1;
    return this.total(db, base, upTo);
  }

  /** The row count from stored counts; scopes without one are counted. Undefined if no scope has a stored count. */
  async #storedCount(db: Reader, { scopes, sent }: ListPlan, upTo: 'limit' | 'all'): Promise<number | undefined> {
    const plan = { scopes, sent };
    const parts = this.#queries.storedCounts(plan, sessionOf(db).engine);
    const known = parts.filter((part) => part !== undefined);
    if (known.length === 0) return undefined;
    const [found] = await this.#statements.run(db, `kept ${this.#queries.shape(plan)}`, inputsOf(plan), (compiler) =>
      rawQuery<{ total: number }>(compiler, sql`select ${sql.join(known, sql` + `)} as total`),
    );
    const others = scopes.filter((_, index) => parts[index] === undefined);
    const more = others.length === 0 ? 0 : await this.total(db, { scopes: others, sent }, upTo);
    const total = Number(found?.total ?? 0) + more;
    return upTo === 'all' ? total : Math.min(total, maxCountedRows + 1);
  }

  /** Approximate number of rows in scope before filtering; undefined if it cannot be read cheaply. */
  async about(db: Reader, { scopes }: ListPlan): Promise<number | undefined> {
    const plan = { scopes, sent: { is: {}, not: {} } };
    const about = this.#queries.about(plan, sessionOf(db).engine);
    if (about === undefined) return undefined;
    const [found] = await this.#statements.run(db, `about ${this.#queries.shape(plan)}`, inputsOf(plan), (compiler) =>
      rawQuery<{ total: number }>(compiler, sql`select ${about} as total`),
    );
    return Number(found?.total ?? 0);
  }

  async total(db: Reader, base: ListPlan, upTo: CountLimit): Promise<number> {
    const { source } = base;
    const plan = source ? { ...base, scopes: source.scopes } : base;
    const shape = `count ${upTo} ${source?.filter ?? ''} ${this.#queries.shape(plan)}`;
    const build = (compiler: Kysely<Tables>, engine: Engine) => {
      const parts = plan.scopes.map((_, index) => this.#queries.matching(compiler, plan, index, engine).query);
      const [only] = parts.length === 1 ? parts : [];
      const along = source && engine === 'sqlite' && this.#queries.isComplete(plan, source.filter, 0, engine);
      return only && along && upTo !== 'all'
        ? countByOffset(compiler, only, upTo)
        : countQueries(compiler, parts, upTo);
    };
    const [found] = await this.#statements.run(db, shape, inputsOf(plan), build, planModeOf(plan, 'all'));
    return Number(found?.total ?? 0);
  }

  /** Whether the list is known to exceed the count limit without counting it. */
  async #exceedsLimit(db: Reader, base: ListPlan): Promise<boolean> {
    const { candidateIds, source, scopes } = base;
    if (candidateIds || source) return false;
    const wide = scopes.some((scope) => this.#list.isWide?.(scope as Record<string, unknown>));
    return (
      (wide && (await this.sampleExceedsLimit(db, base, sampleSizes.rows))) || this.#exceedsLimitAfterNegation(db, base)
    );
  }

  /**
   * Whether the list exceeds the count limit whatever its negated filters exclude; evaluating these for each row takes
   * far longer.
   */
  async #exceedsLimitAfterNegation(db: Reader, base: ListPlan): Promise<boolean> {
    const { scopes, sent } = base;
    const negated = Object.entries(sent.not);
    if (negated.length === 0 || scopes.length > 2) return false;
    if (!negated.every(([name, meaning]) => containsExcluded(this.#queries.drive(name), meaning))) return false;
    // With two scopes, the first alone may exceed the limit.
    const first = { ...base, scopes: scopes.slice(0, 1) };
    const shape = this.#queries.shape(first);
    const [left] = await this.#statements.run(db, `unnegated ${shape}`, inputsOf(first), (compiler, engine) =>
      this.#queries.beforeNegation(compiler, first, engine),
    );
    const total = Number(left?.total ?? 0);
    if (total <= maxCountedRows) return false;
    const last = left?.last == null ? {} : { last: Number(left.last) };
    const [excluded] = await this.#statements.run(
      db,
      `left out ${shape}`,
      { ...inputsOf(first), ...last },
      (compiler, engine) => this.#queries.excluded(compiler, first, engine),
    );
    const maxExcluded = Number(excluded?.total ?? total);
    return maxExcluded <= maxCountedRows && total - maxExcluded > maxCountedRows;
  }

  /**
   * Whether a random sample shows that more rows match than are counted. A frequent word occurs in most sampled rows.
   */
  async sampleExceedsLimit(db: Reader, plan: ListPlan, sampleSize: number = sampleSizes.words): Promise<boolean> {
    if (plan.scopes.length > 1) return false;
    const [idRange] = await this.#statements.run<IdRange>(db, 'numbers', inputsOf(plan), (compiler) =>
      idRangeOf(compiler, this.#list.id, this.#list.part),
    );
    if (!idRange) return false;
    const candidateIds = randomIds(idRange, sampleSize);
    if (candidateIds.length === 0) return false;
    const hits = await this.total(db, { ...plan, candidateIds, drivenBy: 'a sample' }, 'limit');
    return surelyExceedsLimit(hits, candidateIds.length, idRange);
  }
}
