import {
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type KyselyProps,
  PostgresAdapter,
  PostgresIntrospector,
  SqliteAdapter,
  SqliteIntrospector,
  Transaction,
} from 'kysely';
import { CachedPostgresCompiler, CachedSqliteCompiler, PostgresCompiler, SqliteCompiler } from './compilers.ts';
import type { Engine, Reader, Writer } from './engine.ts';
import { bindSession, type Session } from './session.ts';
import type { Tables } from './tables.ts';

const dialects: Record<Engine, Dialect> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new RefusingDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new RefusingDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresCompiler(),
  },
};

/** Transactions and connections are managed by `database.write`; Kysely only builds queries here. */
class RefusingDriver extends DummyDriver implements Driver {
  override async beginTransaction(): Promise<void> {
    throw new Error('transactions begin with database.write');
  }
}

const cachedCompilers = { sqlite: CachedSqliteCompiler, postgres: CachedPostgresCompiler };

/** A Kysely instance that compiles cached queries for the engine and cannot execute them. */
export function compilerOf(engine: Engine): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: { ...dialects[engine], createQueryCompiler: () => new cachedCompilers[engine]() },
  });
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
  sqlite: { compiler: new SqliteCompiler(), adapter: new SqliteAdapter() },
  postgres: { compiler: new PostgresCompiler(), adapter: new PostgresAdapter() },
};

function propsOver(session: Session): KyselyProps {
  const dialect = dialects[session.engine];
  const { compiler, adapter } = shared[session.engine];
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(session) };
  const executor = new DefaultQueryExecutor(compiler, adapter, provider);
  return { config: { dialect }, driver: new RefusingDriver(), executor, dialect };
}
