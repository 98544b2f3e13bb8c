import type { Config } from '../../src/config/config.ts';
import { checkClock } from './clock.ts';
import { checkDataDirectory, checkDisk, newestTrace } from './data-directory.ts';
import { checkDatabase } from './database.ts';
import { checkEnvironment } from './environment.ts';
import type { Finding } from './finding.ts';
import { checkGit, checkNode } from './machine.ts';

/** Runs every check, even if others failed. */
export async function examine(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [git, data, disk, database, trace] = await Promise.all([
    checkGit(),
    checkDataDirectory(config.data),
    checkDisk(config.data),
    checkDatabase(config),
    newestTrace(config.data),
  ]);
  const clock = checkClock(new Date(), [...trace, ...database.witnesses]);
  return [checkNode(), git, checkEnvironment(env), data, disk, database.finding, clock];
}
