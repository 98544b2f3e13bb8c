import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobPayload } from './protocol.ts';

/** Ignores the git configuration of this machine and never prompts for a password. */
const environment = [
  'GIT_TERMINAL_PROMPT=0',
  'GIT_CONFIG_NOSYSTEM=1',
  'GIT_CONFIG_GLOBAL=/dev/null',
  'GIT_ASKPASS=true',
] as const;

/** Checks out the commit of a job, reusing what an earlier job fetched unless the strategy is to clone. */
export async function getSources(
  { git_info }: JobPayload,
  strategy: string,
  run: (command: readonly [string, ...string[]]) => Promise<number | null>,
  tree: string,
): Promise<boolean> {
  const git = async (...args: string[]) => (await run(['env', ...environment, 'git', ...args])) === 0;
  if (strategy === 'none') return true;
  if (strategy === 'clone' || strategy === 'empty') await empty(tree);
  if (strategy === 'empty') return true;
  // Removes locks of an aborted job and configuration left by earlier jobs.
  for (const left of ['index.lock', 'shallow.lock', 'config', 'hooks']) {
    await rm(join(tree, '.git', left), { recursive: true, force: true });
  }
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
