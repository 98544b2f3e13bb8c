import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Minimum supported version of git, the first with `merge-tree --write-tree`. */
export const MINIMUM_GIT: readonly [number, number] = [2, 38];

/** Returns the version of the installed git, and whether it is recent enough. */
export async function gitVersion(): Promise<{ version: string; supported: boolean }> {
  const ask = () => promisify(execFile)('git', ['--version'], { env: { PATH: process.env.PATH }, timeout: 10_000 });
  const { stdout } = await ask();
  // If the event loop was blocked for longer than the limit, the output of a git that has long exited is discarded
  // unread.
  return readVersion(stdout || (await ask()).stdout);
}

/** Parses the output of `git --version`, including vendors' suffixes. */
export function readVersion(printed: string): { version: string; supported: boolean } {
  const found = /git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(printed);
  if (!found) return { version: printed.trim(), supported: false };
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const supported = major > MINIMUM_GIT[0] || (major === MINIMUM_GIT[0] && minor >= MINIMUM_GIT[1]);
  return { version: [found[1], found[2], found[3]].filter(Boolean).join('.'), supported };
}
