import pg from 'pg';

/** PostgreSQL could not be reached, or the connection broke before a statement was answered. */
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** The code of PostgreSQL for the same. */
  readonly code = '08006';
}

// The driver throws plain errors for these, without a code.
const messages = /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to)/;

/**
 * Waits for the database. The socket's errors become `ConnectionLost`: by their own code nobody could tell them from
 * those of a file or of the caller's connection.
 */
export async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const lost = error instanceof Error && !(error instanceof pg.DatabaseError);
    if (!lost || !('syscall' in error || messages.test(error.message))) throw error;
    throw new ConnectionLost(`The connection to the database failed: ${error.message}`, { cause: error });
  }
}
