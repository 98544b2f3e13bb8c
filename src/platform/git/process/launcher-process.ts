import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { killGroup } from './launched.ts';
import type { LauncherOrder, LauncherReport } from './launcher.ts';

// The program of the launcher process: see launch.ts. For each order, the server opens as many connections as the
// process needs pipes. There is only one server, and connections are accepted in the order in which they were opened,
// so the first ones belong to the first order.
const path = process.argv[2] ?? '';
const connections: Socket[] = [];
const orders: Extract<LauncherOrder, { program: string }>[] = [];
const running = new Map<number, ChildProcess>();

// Orders that were cancelled before they could be executed.
const cancelled = new Set<number>();

// A failed send needs no handling: 'disconnect' reports that the server is gone.
const report = (message: LauncherReport) => process.send?.(message, undefined, undefined, () => {});

// Nothing is read from them here: they become the standard streams of a process.
const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection) => {
  connection.on('error', () => {});
  connections.push(connection);
  carryOut();
});
server.listen(path, () => report({ ready: true }));

process.on('message', (order: LauncherOrder) => {
  if ('program' in order) {
    orders.push(order);
    carryOut();
    return;
  }
  const pid = running.get(order.kill)?.pid;
  if (pid !== undefined) killGroup(pid);
  else if (orders.some(({ id }) => id === order.kill)) cancelled.add(order.kill);
});

// Signals to the whole process group or unit are meant for the server, which still needs git to finish its work.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => {
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});

function carryOut(): void {
  for (let order = orders[0]; order && connections.length >= 3 + order.extra; order = orders[0]) {
    orders.shift();
    start(order, connections.splice(0, 3 + order.extra));
  }
}

function start({ id, program, args, env, extra }: (typeof orders)[number], pipes: readonly Socket[]): void {
  const [stdin, stdout, stderr, ...others] = pipes;
  if (!stdin || !stdout || !stderr || cancelled.delete(id)) {
    for (const pipe of pipes) pipe.destroy();
    report({ id, code: null });
    return;
  }
  // The standard three are passed on as they are. Shells cannot read from non-blocking descriptors, so the others are
  // relayed.
  const stdio = [stdin, stdout, stderr, ...Array<'pipe'>(extra).fill('pipe')];
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio });
  running.set(id, child);
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  for (const [index, pipe] of others.entries()) relay(pipe, child.stdio[3 + index] as Duplex | null);
  const ended = (message: LauncherReport) => {
    if (running.delete(id)) report(message);
  };
  child.once('error', ({ message }) => ended({ id, failed: message }));
  child.once('exit', (code) => ended({ id, code }));
  if (child.pid !== undefined) report({ id, pid: child.pid });
}

function relay(pipe: Socket, other: Duplex | null): void {
  if (!other) {
    pipe.destroy();
    return;
  }
  other.on('error', () => pipe.destroy());
  other.on('close', () => pipe.destroy());
  pipe.on('close', () => other.destroy());
  pipe.pipe(other).pipe(pipe);
}
