import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobPayload } from './protocol.ts';
import { runProgram, type ShellOptions } from './shell.ts';

/** No setting of this machine has a say, nobody is asked for a password, and what a repository holds runs nothing. */
const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ASKPASS: 'true',
};

/** Brings the commit of a job into its folder: what an earlier job fetched there is built upon, unless it is to be cloned. */
export async function getSources(job: JobPayload, strategy: string, options: ShellOptions): Promise<boolean> {
  const { git_info } = job;
  const env = { ...options.env, ...environment };
  const git = async (...args: string[]) => (await runProgram(['git', ...args], { ...options, env })) === 0;
  if (strategy === 'none') return true;
  const clone = strategy === 'clone' || strategy === 'empty';
  if (clone) await empty(options.cwd);
  if (strategy === 'empty') return true;
  await mkdir(join(options.cwd, '.git'), { recursive: true });
  // A job that was ended may have left its locks.
  await rm(join(options.cwd, '.git', 'index.lock'), { force: true });
  await rm(join(options.cwd, '.git', 'shallow.lock'), { force: true });
  const depth = git_info.depth > 0 ? [`--depth=${git_info.depth}`] : [];
  return (
    (await git('init', '--quiet')) &&
    (await git('config', 'remote.origin.url', git_info.repo_url)) &&
    (await git('fetch', '--quiet', '--prune', '--no-tags', '--force', ...depth, 'origin', ...git_info.refspecs)) &&
    (await git('checkout', '--quiet', '--force', '--detach', git_info.sha)) &&
    (await git('clean', '-ffdx', '--quiet'))
  );
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
