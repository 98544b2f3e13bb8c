import { spawnSync } from 'node:child_process';

/** Reason to skip a test: the program is not installed. False if it is. */
export function missing(program: string): string | false {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return error ? `${program} is not installed` : false;
}
