import type { Kysely } from 'kysely';
import type { Engine } from '../database/engine.ts';
import type { BoundFilter, BoundProperties } from '../database/form.ts';
import type { Tables } from '../database/tables.ts';
import type { Param } from '../http/params.ts';
import type { BoundMeaning, Column, Condition, Filter } from './filter.ts';
import type { AnyQuery } from './merge.ts';
import type { Direction, Order } from './order.ts';
import type { StoredCount } from './stored-count.ts';

export type Filters<S> = Readonly<Record<string, Filter<Param<unknown>, S>>>;
export type Orders<S> = Readonly<Record<string, Order<S>>>;

/** A list as its area declares it. */
export interface Declaration<Q extends object, V extends keyof Q, L extends keyof Q, F, O, R> {
  /** The id column of the rows. */
  readonly id: Column;
  /** Inputs of every request to the list besides the filters: the current user, the project, the time. */
  readonly scope: BoundProperties<Q, V, L>;
  readonly filters: F;
  readonly orders: O;
  /**
   * Restricts the sample to the part of the table that the list covers, if that part has its own id range and an index
   * over it.
   */
  readonly part?: Condition;
  /** Whether the rows in scope can be most of the table; large totals are then detected by sampling. */
  isWide?(scope: Q): boolean;
  /** The list returns table rows unchanged, so a page is read as ids first and only its own rows are looked up. */
  readonly lateRows?: boolean;
  /** Approximate number of rows in scope, if an index gives it cheaply. Defaults to `kept`. */
  about?(scope: BoundFilter<Q, V, L>): StoredCount | undefined;
  /** Exact number of rows in scope, if the database stores it. */
  kept?(scope: BoundFilter<Q, V, L>): StoredCount | undefined;
  /** Exact number of rows that match the filters (none of them negated), if the database stores it. */
  keptFiltered?(
    scope: BoundFilter<Q, V, L>,
    sent: Readonly<Record<string, BoundMeaning>>,
    engine: Engine,
  ): StoredCount | undefined;
  /** The rows in scope, without filters or order. */
  select(db: Kysely<Tables>, scope: BoundFilter<Q, V, L>, engine: Engine): R;
}

/** The order in which a list is read. */
export interface InOrder<O> {
  readonly by: keyof O & string;
  readonly direction: Direction;
}

/** A list whose best scopes depend on how it is read. */
export interface ReadStrategies<Q> {
  /** One scope that covers the whole list, used when a selective filter leaves only a few rows. */
  readonly whole: Q;
  /** Disjoint scopes, one for each reason a row is visible, and whether they hold few rows even without filters. */
  walked(): Promise<{ readonly scopes: readonly Q[]; readonly few: boolean }>;
}

/** The scopes of a list: one, several disjoint ones, or alternatives to choose from when the list is read. */
export type Scopes<Q> = Q | readonly Q[] | ReadStrategies<Q>;

export const hasReadStrategies = (scope: object): scope is ReadStrategies<object> =>
  'walked' in scope && typeof scope.walked === 'function';

/** A declaration with its type parameters erased. */
export type AnyDeclaration = Declaration<
  Record<string, unknown>,
  string,
  string,
  Filters<unknown>,
  Orders<unknown>,
  AnyQuery
>;
