import type { Compilable, Expression, Kysely } from 'kysely';
import { Bound, BoundList, bind } from './bound.ts';
import type { Engine, Reader } from './engine.ts';
import { compilerOf } from './kysely.ts';
import { statementName } from './postgres-plans.ts';
import { type Prepared, sessionOf } from './session.ts';
import type { Tables } from './tables.ts';

type Names<P, V> = { [K in keyof P & string]: P[K] extends V ? K : never }[keyof P & string];

/** Creates placeholders for values that are bound at each execution. */
export interface Param<P extends object> {
  <K extends keyof P & string>(name: K): Expression<P[K]>;
  /** A list of numbers of any length: `where('id', 'in', param.ids('ids'))`. */
  ids(name: Names<P, readonly number[]>): Expression<number>;
  /** A list of texts of any length. */
  texts(name: Names<P, readonly string[]>): Expression<string>;
}

/** A query that runs as a prepared statement. */
export interface Statement<P extends object, R> {
  all(db: Reader, params: P): Promise<R[]>;
  first(db: Reader, params: P): Promise<R | undefined>;
  /** Executes a statement that changes rows and returns their number. */
  run(db: Reader, params: P): Promise<number>;
}

interface Compiled<P> extends Prepared {
  values(params: P): unknown[];
}

let count = 0;

/**
 * A query that is built and compiled on first use, once per engine, and then runs as a prepared statement. The
 * annotation of `param` declares the parameters; the row type is inferred from the query:
 *
 * ```ts
 * const labelById = statement((db, param: Param<{ id: number }>) =>
 *   db.selectFrom('labels').select(['id', 'title']).where('id', '=', param('id')),
 * );
 * const label = await labelById.first(database.read, { id: 7 }); // or a transaction
 * ```
 *
 * Name the columns instead of using `selectAll`, and create statements at the top of a module: each lives as long as
 * the process. `cached` is for the few rows that nearly every request reads: see `RowCache`.
 */
export function statement<P extends object, R>(
  build: (db: Kysely<Tables>, param: Param<P>) => Compilable<R>,
  { cached = false } = {},
): Statement<P, R> {
  const compiled: Partial<Record<Engine, Compiled<P>>> = {};
  const on = (engine: Engine): Compiled<P> => (compiled[engine] ??= { ...compile(engine, build), cached });
  return {
    all: (db, params) => {
      const session = sessionOf(db);
      const prepared = on(session.engine);
      return session.all(prepared, prepared.values(params)) as Promise<R[]>;
    },
    first: (db, params) => {
      const session = sessionOf(db);
      const prepared = on(session.engine);
      return session.first(prepared, prepared.values(params)) as Promise<R | undefined>;
    },
    run: (db, params) => {
      const session = sessionOf(db);
      const prepared = on(session.engine);
      return session.run(prepared, prepared.values(params));
    },
  };
}

function compile<P extends object, R>(
  engine: Engine,
  build: (db: Kysely<Tables>, param: Param<P>) => Compilable<R>,
): Compiled<P> {
  const { sql, parameters } = build(compilerOf(engine), placeholders<P>(engine)).compile();
  return {
    id: count++,
    name: statementName(sql),
    sql,
    values: (params) => bind(parameters, params),
  };
}

function placeholders<P extends object>(engine: Engine): Param<P> {
  const one = <K extends keyof P & string>(name: K) => new Bound((inputs: P) => inputs[name]);
  return Object.assign(one, {
    ids: (name: keyof P) => new BoundList(engine, (inputs: P) => inputs[name] as readonly number[]),
    texts: (name: keyof P) => new BoundList(engine, (inputs: P) => inputs[name] as readonly string[], 'text'),
  });
}
