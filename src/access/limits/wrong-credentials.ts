import type { Services } from '../services.ts';

/** Counts a failed sign-in of git or a package manager from an address; returns whether there were too many. */
export async function exceedsFailedSignInLimit(
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  ip: string,
): Promise<boolean> {
  const rate = config.gitSignInRate;
  return rate !== undefined && (await limits.count('git_sign_in', ip, rate)).exceeded;
}
