import { gitVersion, MINIMUM_GIT } from '../../src/platform/git/process/version.ts';
import { type Finding, failed, ok, reason } from './finding.ts';

/** Type stripping and `node:sqlite` as used here need Node 24. */
export function checkNode(version = process.versions.node): Finding {
  if (Number.parseInt(version, 10) >= 24) return ok('node', version);
  return failed(
    'node',
    `${version}, and Hearth needs 24`,
    'Start it with `npm start` or bin/hearth: they bring Node 24.',
  );
}

/** Git must be installed, and recent enough. */
export async function checkGit(): Promise<Finding> {
  const minimum = MINIMUM_GIT.join('.');
  const advice = `Install git ${minimum} or newer, and make sure that it is in PATH.`;
  try {
    const { version, supported } = await gitVersion();
    return supported ? ok('git', version) : failed('git', `${version} is older than ${minimum}`, advice);
  } catch (error) {
    return failed('git', `does not run: ${reason(error)}`, advice);
  }
}
