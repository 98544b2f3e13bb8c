import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { killGroup, type Launch, type Launched } from './launched.ts';
import { Launcher } from './launcher.ts';

/** No file descriptors are left to speak to another process. */
export class NoPipes extends Error {
  override readonly name = 'NoPipes';
}

const launcher = new Launcher();

/**
 * Starts a process. To start one, Linux copies the map of all memory that this process has: milliseconds in which
 * nothing is answered, and more after it for each page that is written to. So a process of hardly any memory does it,
 * as soon as it runs; until then, and should it ever fail, processes are started from here.
 */
export function launch(what: Launch): Launched {
  return launcher.ready() ? launcher.launch(what) : startHere(what);
}

function startHere({ program, args, env, extra }: Launch): Launched {
  const stdio = Array<'pipe'>(3 + extra).fill('pipe');
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) {
    // The reason comes as an event, which would end the server if nobody listened.
    child.once('error', () => {});
    throw new NoPipes(`no file descriptors are left for ${program}`);
  }
  let closed = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // 'close' rather than 'exit': all output has then been handed over.
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
