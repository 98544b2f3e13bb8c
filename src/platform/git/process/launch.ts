import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { killGroup, type Launch, type Launched } from './launched.ts';
import { Launcher } from './launcher.ts';

/** Thrown when no file descriptors are left for pipes to another process. */
export class NoPipes extends Error {
  override readonly name = 'NoPipes';
}

const launcher = new Launcher();

/**
 * Starts a process. To fork, Linux copies this process's page tables: milliseconds in which no request is served,
 * followed by page faults. So a small launcher process does it, once it is running; until then, and if it ever fails,
 * processes are started from here.
 */
export function launch(request: Launch): Launched {
  return launcher.ready() ? launcher.launch(request) : startHere(request);
}

function startHere({ program, args, env, extra }: Launch): Launched {
  const stdio = Array<'pipe'>(3 + extra).fill('pipe');
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) {
    // The reason arrives as an event, which would crash the server without a listener.
    child.once('error', () => {});
    throw new NoPipes(`no file descriptors are left for ${program}`);
  }
  let closed = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // 'close' rather than 'exit': by then, all output has been delivered.
    child.once('close', (code) => {
      closed = true;
      resolve(code);
    });
  });
  const kill = () => {
    if (child.pid !== undefined && !closed) killGroup(child.pid);
  };
  return { stdin, stdout, stderr, fds: child.stdio.slice(3) as Duplex[], ended, kill };
}
