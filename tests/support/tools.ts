import { spawnSync } from 'node:child_process';

/** Why something is passed over: the program that it takes is not installed here. False when it is. */
export function missing(program: string): string | false {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return error ? `${program} is not installed` : false;
}
