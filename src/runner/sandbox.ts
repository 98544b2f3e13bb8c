import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How a command is started so that it reaches no more of the machine than it must. */
export interface Sandbox {
  readonly description: string;
  /** The command line around another; `writable` are the folders of the job, which may lie in hidden ones. */
  around(command: readonly [string, ...string[]], writable: readonly string[]): readonly [string, ...string[]];
}

const bare: Sandbox = {
  description: 'jobs run as this user, without a sandbox (bubblewrap is not to be had here)',
  around: (command) => command,
};

const usual = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
const apart = ['--unshare-pid', '--unshare-ipc', '--die-with-parent'];

/**
 * Bubblewrap where it is installed and allowed: the machine is then read-only to jobs, what they start is theirs alone, and
 * they see nothing of the hidden folders: the server's data, the token of the runner, the caches of other projects.
 */
export async function findSandbox(hidden: readonly string[]): Promise<Sandbox> {
  try {
    await run('bwrap', [...usual, ...apart, 'true'], { timeout: 10_000 });
  } catch {
    // Not installed, or not allowed in here: the runner says so when it starts.
    return bare;
  }
  return {
    description: 'jobs run in a sandbox of bubblewrap',
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
