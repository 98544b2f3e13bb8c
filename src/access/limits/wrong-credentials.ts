import type { Services } from '../services.ts';

/** Counts wrong credentials of git or packages from an address; whether there have been too many. */
export async function isGuessing(
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  ip: string,
): Promise<boolean> {
  const rate = config.gitSignInRate;
  return rate !== undefined && (await limits.count('git_sign_in', ip, rate)).exceeded;
}
