import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Wraps commands so that they can access only what they need of the machine. */
export interface Sandbox {
  readonly description: string;
  /** Returns the wrapped command line; `writable` are the folders of the job, which may be inside hidden ones. */
  around(command: readonly [string, ...string[]], writable: readonly string[]): readonly [string, ...string[]];
}

const bare: Sandbox = {
  description: 'jobs run as this user, without a sandbox (bubblewrap is not available)',
  around: (command) => command,
};

const usual = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
const apart = ['--unshare-pid', '--unshare-ipc', '--die-with-parent'];

/**
 * Uses bubblewrap if it is installed and permitted: the machine is then read-only for jobs, their processes are
 * isolated, and hidden folders are invisible: the server's data, the runner token and caches of other projects.
 */
export async function findSandbox(hidden: readonly string[]): Promise<Sandbox> {
  try {
    await run('bwrap', [...usual, ...apart, 'true'], { timeout: 10_000 });
  } catch {
    // Not installed or not permitted: the runner logs this when it starts.
    return bare;
  }
  return {
    description: 'jobs run in a sandbox (bubblewrap)',
    around: (command, writable) => [
      'bwrap',
      ...usual,
      ...hidden.flatMap((folder) => ['--tmpfs', folder]),
      ...writable.flatMap((folder) => ['--bind', folder, folder]),
      ...apart,
      '--',
      ...command,
    ],
  };
}
