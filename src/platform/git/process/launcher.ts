import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rm, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killGroup, type Launch, type Launched } from './launched.ts';

/** What the launcher is told. */
export type LauncherOrder = ({ readonly id: number } & Launch) | { readonly kill: number };

/** What the launcher says: that it takes orders, and of each order that its process runs, and how that ended. */
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

/** A process of hardly any memory that starts others: begun when first asked for, and anew when it was lost. */
export class Launcher {
  readonly #orders = new Map<number, Order>();
  #process: ChildProcess | undefined;
  #path = '';
  #listening = false;
  #notBefore = 0;
  #count = 0;

  /** Whether orders are taken; begins a launcher where there is none. */
  ready(): boolean {
    if (!this.#process && Date.now() >= this.#notBefore) {
      this.#notBefore = Date.now() + AGAIN_AFTER_MS;
      try {
        this.#begin();
      } catch (error) {
        // Such as where nothing may be written: git is slower to start then, and that is all.
        process.emitWarning(`git is started without a launcher: ${error}`);
      }
    }
    return this.#listening;
  }

  #begin(): void {
    // Where nobody else can connect.
    this.#path = join(mkdtempSync(join(tmpdir(), 'hearth-launcher-')), 'orders');
    const child = fork(program, [this.#path], {
      execArgv: [],
      env: {},
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    child.on('message', (report: LauncherReport) => this.#hear(report));
    child.on('error', () => this.#lose(child));
    child.on('exit', () => this.#lose(child));
    // Nobody waits for it unless it has something to report.
    child.unref();
    child.channel?.unref();
  }

  /** Starts a process; only while `ready`. */
  launch(what: Launch): Launched {
    this.#count += 1;
    const id = this.#count;
    const [stdin, stdout, stderr] = [this.#connect('write'), this.#connect('read'), this.#connect('read')];
    const fds = Array.from({ length: what.extra }, () => this.#connect('both'));
    const exit = this.#await(id);
    this.#tell({ id, ...what });
    const ended = exit.finally(() => {
      // What nobody reads is not waited for.
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
    // Whoever reads or writes learns of it there, and everybody by how the process ended. Where none can begin, because its
    // folder was cleared away, all would wait for ever.
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

  #hear(report: LauncherReport): void {
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
    // At once where it can be: the launcher would do so a little later, with more work in the hands of the process.
    if (order?.pid !== undefined) killGroup(order.pid);
    else if (order) this.#tell({ kill: id });
  }

  #tell(order: LauncherOrder): void {
    const child = this.#process;
    // It is lost if it cannot be told; its exit is then heard of too.
    child?.send(order, (error) => {
      if (error) this.#lose(child);
    });
  }

  /** Nobody would say how its processes end, so they are ended. */
  #lose(child: ChildProcess): void {
    if (this.#process !== child) return;
    child.kill('SIGKILL');
    this.#process = undefined;
    this.#listening = false;
    removeFolder(dirname(this.#path));
    for (const [id, order] of this.#orders) {
      this.#orders.delete(id);
      if (order.pid !== undefined) killGroup(order.pid);
      order.failed(new Error('what starts processes was lost'));
    }
  }
}

/** A launcher may be lost for want of descriptors, which this takes one of too: then it is tried again, and what stays is in nobody's way. */
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
