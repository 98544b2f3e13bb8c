import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadConfig } from '../../src/config/config.ts';
import { migrations } from '../../src/migrations/list.ts';
import type { Engine } from '../../src/platform/database/database.ts';
import { atEnd } from './at-end.ts';
import { testDatabasePlace } from './engines.ts';
import { rootToken } from './server.ts';
import { copyMigrated } from './sqlite-template.ts';

// Loads modules like a regular server start, whose time is mostly spent on that.
const quick = join(import.meta.dirname, '../../bin/quick-start.js');

/** A data directory and a database on which servers can be started one after the other. */
export class ServerPlace {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;

  constructor(data: string, databaseUrl: string | undefined, flags: readonly string[] = []) {
    atEnd(() => rmSync(data, { recursive: true, force: true, maxRetries: 10 }));
    this.flags = ['--data', data, '--root-token', rootToken, '--root-password', 'correct horse battery', ...flags];
    this.env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  }

  static async make(engine: Engine, flags: readonly string[] = []): Promise<ServerPlace> {
    const data = mkdtempSync(join(tmpdir(), 'hearth-place-'));
    if (engine === 'sqlite') await copyMigrated(migrations, join(data, 'hearth.db'));
    const url = engine === 'postgres' ? (await testDatabasePlace(engine, migrations)).url : undefined;
    return new ServerPlace(data, url, flags);
  }

  config() {
    return loadConfig(['--port', '0', ...this.flags], this.env);
  }

  /** Starts a script on this data. Resolves with its first line of output, or undefined if it exits first. */
  async run(script: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<StartedProcess> {
    const argv = ['--import', quick, script, ...this.flags, ...args];
    const child = spawn(process.execPath, argv, {
      env: { PATH: process.env.PATH, ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atEnd(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit').then(() => undefined);
    const line = await Promise.race([
      once(createInterface(child.stdout), 'line').then(([text]) => text as string),
      ended.then(() => undefined),
    ]);
    return { child, line, ended };
  }

  /** Starts a server; `fault` is the fault point at which it dies. */
  async serve(fault?: string): Promise<StartedProcess & { readonly line: string }> {
    const script = join(import.meta.dirname, 'serving-process.ts');
    const started = await this.run(script, ['--port', '0'], fault === undefined ? {} : { HEARTH_FAULT: fault });
    if (started.line === undefined) throw new Error('the server did not start');
    return { ...started, line: started.line };
  }
}

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly line: string | undefined;
  readonly ended: Promise<void>;
}
