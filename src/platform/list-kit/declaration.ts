import type { Kysely } from 'kysely';
import type { Engine } from '../database/engine.ts';
import type { BoundFilter, Form } from '../database/form.ts';
import type { Tables } from '../database/tables.ts';
import type { Param } from '../http/params.ts';
import type { BoundMeaning, Column, Condition, Filter } from './filter.ts';
import type { Kept } from './kept.ts';
import type { AnyQuery } from './merge.ts';
import type { Direction, Order } from './order.ts';

export type Filters<S> = Readonly<Record<string, Filter<Param<unknown>, S>>>;
export type Orders<S> = Readonly<Record<string, Order<S>>>;

/** A list as its area declares it. */
export interface Declaration<Q extends object, V extends keyof Q, L extends keyof Q, F, O, R> {
  /** The column of the rows' numbers. */
  readonly id: Column;
  /** What every request of the list is made with, beside what callers send: who asks, where, when. */
  readonly scope: Form<Q, V, L>;
  readonly filters: F;
  readonly orders: O;
  /** The part of its table that the list is of, where another part has other numbers and an index has those of this one. */
  readonly part?: Condition;
  /** Whether the rows in scope can be most of the table: that they are many is then told by some that are drawn. */
  isWide?(scope: Q): boolean;
  /** The rows are those of the table as they are: a page looks up its own rows alone, once it knows which they are. */
  readonly lateRows?: boolean;
  /** About how many rows are in scope, where an index tells it at once; what is kept tells it too. */
  about?(scope: BoundFilter<Q, V, L>): Kept | undefined;
  /** How many rows are in scope, where the database keeps that. */
  kept?(scope: BoundFilter<Q, V, L>): Kept | undefined;
  /** How many of them pass what was sent, of which nothing is negated, where the database keeps that. */
  keptFiltered?(
    scope: BoundFilter<Q, V, L>,
    sent: Readonly<Record<string, BoundMeaning>>,
    engine: Engine,
  ): Kept | undefined;
  /** The rows in scope, neither filtered nor ordered. */
  select(db: Kysely<Tables>, scope: BoundFilter<Q, V, L>, engine: Engine): R;
}

/** In which order a list is read. */
export interface InOrder<O> {
  readonly by: keyof O & string;
  readonly direction: Direction;
}

/** A list that is read over different scopes, by how it is read. */
export interface Ways<Q> {
  /** All of it, asked for at once: for a list that starts from a few rows that a filter leaves. */
  readonly whole: Q;
  /** A scope for each way to see a row, none of which share one; and whether they hold few rows by themselves. */
  walked(): Promise<{ readonly scopes: readonly Q[]; readonly few: boolean }>;
}

/** What a list is read over: one scope, several that share no row, or what depends on how it is read. */
export type Scopes<Q> = Q | readonly Q[] | Ways<Q>;

export const isWays = (scope: object): scope is Ways<object> => 'walked' in scope && typeof scope.walked === 'function';

/** A declaration whatever it is of. */
export type AnyDeclaration = Declaration<
  Record<string, unknown>,
  string,
  string,
  Filters<unknown>,
  Orders<unknown>,
  AnyQuery
>;
