import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rm, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killGroup, type Launch, type Launched } from './launched.ts';

/** Messages to the launcher. */
export type LauncherOrder = ({ readonly id: number } & Launch) | { readonly kill: number };

/** Messages from the launcher: its readiness, and for each order the start and the end of the process. */
export type LauncherReport =
  | { readonly ready: true }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly code: number | null }
  | { readonly id: number; readonly failed: string };

interface Order {
  pid?: number;
  exited(code: number | null): void;
  failed(reason: Error): void;
}

const program = fileURLToPath(new URL('./launcher-process.ts', import.meta.url));
const AGAIN_AFTER_MS = 60_000;

/** A small process that starts others: started on first use, and again after it was lost. */
export class Launcher {
  readonly #orders = new Map<number, Order>();
  #process: ChildProcess | undefined;
  #path = '';
  #listening = false;
  #notBefore = 0;
  #count = 0;

  /** Whether it accepts orders; starts the launcher if there is none. */
  ready(): boolean {
    if (!this.#process && Date.now() >= this.#notBefore) {
      this.#notBefore = Date.now() + AGAIN_AFTER_MS;
      try {
        this.#begin();
      } catch (error) {
        // For example, when no directory is writable: starting git is only slower then.
        process.emitWarning(`git is started without a launcher: ${error}`);
      }
    }
    return this.#listening;
  }

  #begin(): void {
    // In a directory that other users cannot access.
    this.#path = join(mkdtempSync(join(tmpdir(), 'hearth-launcher-')), 'orders');
    const child = fork(program, [this.#path], {
      execArgv: [],
      env: {},
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    child.on('message', (report: LauncherReport) => this.#onReport(report));
    child.on('error', () => this.#lose(child));
    child.on('exit', () => this.#lose(child));
    // The event loop only waits for it while it has something to report.
    child.unref();
    child.channel?.unref();
  }

  /** Starts a process; only while `ready`. */
  launch(request: Launch): Launched {
    this.#count += 1;
    const id = this.#count;
    const [stdin, stdout, stderr] = [this.#connect('write'), this.#connect('read'), this.#connect('read')];
    const fds = Array.from({ length: request.extra }, () => this.#connect('both'));
    const exit = this.#await(id);
    this.#send({ id, ...request });
    const ended = exit.finally(() => {
      // Unread output must not delay the end.
      for (const output of [stdout, stderr]) if (output.readable) output.resume();
      stdin.destroy();
    });
    const all = Promise.all([ended, closed(stdout), closed(stderr)]).then(([code]) => code);
    all.catch(() => {});
    return { stdin, stdout, stderr, fds, ended: all, kill: () => this.#kill(id) };
  }

  #connect(direction: 'read' | 'write' | 'both'): Socket {
    const socket = new Socket({
      readable: direction !== 'write',
      writable: direction !== 'read',
      allowHalfOpen: true,
    });
    const child = this.#process;
    let connected = false;
    socket.once('connect', () => {
      connected = true;
    });
    // Readers and writers see the error themselves, and the caller sees how the process ended. If no connection can be
    // opened because the directory was removed, callers would wait forever.
    socket.on('error', () => {
      if (!connected && child) this.#lose(child);
    });
    return socket.connect(this.#path);
  }

  #await(id: number): Promise<number | null> {
    this.#process?.channel?.ref();
    return new Promise<number | null>((exited, failed) => {
      this.#orders.set(id, { exited, failed });
    });
  }

  #onReport(report: LauncherReport): void {
    if ('ready' in report) {
      this.#listening = true;
      return;
    }
    const order = this.#orders.get(report.id);
    if (!order) return;
    if ('pid' in report) {
      order.pid = report.pid;
      return;
    }
    this.#orders.delete(report.id);
    if (this.#orders.size === 0) this.#process?.channel?.unref();
    if ('code' in report) order.exited(report.code);
    else order.failed(new Error(report.failed));
  }

  #kill(id: number): void {
    const order = this.#orders.get(id);
    // Directly if possible: the launcher would do so slightly later, while the process keeps working.
    if (order?.pid !== undefined) killGroup(order.pid);
    else if (order) this.#send({ kill: id });
  }

  #send(order: LauncherOrder): void {
    const child = this.#process;
    // If the message cannot be sent the launcher is lost, which its exit reports too.
    child?.send(order, (error) => {
      if (error) this.#lose(child);
    });
  }

  /** Kills its processes, because nothing would report when they end. */
  #lose(child: ChildProcess): void {
    if (this.#process !== child) return;
    child.kill('SIGKILL');
    this.#process = undefined;
    this.#listening = false;
    removeFolder(dirname(this.#path));
    for (const [id, order] of this.#orders) {
      this.#orders.delete(id);
      if (order.pid !== undefined) killGroup(order.pid);
      order.failed(new Error('the process launcher was lost'));
    }
  }
}

/**
 * The launcher may be lost because descriptors ran out, and removing the directory needs one too: it is retried, and
 * what remains is harmless.
 */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }, () => {});
  }
}

function closed(output: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (output.closed) resolve();
    else output.once('close', () => resolve());
  });
}
