import {
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type KyselyProps,
  type LimitNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely';
import type { Engine, Reader, Writer } from './engine.ts';
import { bindSession, type Session } from './session.ts';
import type { Tables } from './tables.ts';
import { WrittenNumbers } from './written-numbers.ts';

/**
 * SQLite plans a statement anew each time that its bound limit is given, which takes longer than to run it. A limit that
 * is an expression leaves the plan as it is.
 */
class LastingSqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }
}

const dialects: Record<Engine, Dialect> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new RefusingDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LastingSqliteCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new RefusingDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** Transactions and connections are `database.write`'s to give; Kysely only builds queries here. */
class RefusingDriver extends DummyDriver implements Driver {
  override async beginTransaction(): Promise<void> {
    throw new Error('transactions begin with database.write');
  }
}

/** A Kysely that compiles queries to be kept for the engine, and cannot execute. */
export function compilerOf(engine: Engine): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: dialects[engine], plugins: [new WrittenNumbers()] });
}

/** A reader over the session. */
export function readerOver(session: Session): Reader {
  const reader = new Kysely<Tables>(propsOver(session));
  bindSession(reader, session);
  return reader;
}

/** A transaction over the session, which the caller begins and ends. */
export function writerOver(session: Session): Writer {
  const writer = new Transaction<Tables>(propsOver(session));
  bindSession(writer, session);
  return writer;
}

const shared = {
  sqlite: { compiler: new LastingSqliteCompiler(), adapter: new SqliteAdapter() },
  postgres: { compiler: new PostgresQueryCompiler(), adapter: new PostgresAdapter() },
};

function propsOver(session: Session): KyselyProps {
  const dialect = dialects[session.engine];
  const { compiler, adapter } = shared[session.engine];
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(session) };
  const executor = new DefaultQueryExecutor(compiler, adapter, provider);
  return { config: { dialect }, driver: new RefusingDriver(), executor, dialect };
}
