import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { RunnerType } from './tables.ts';

const lifetimes = {
  instance_type: 'runner_token_expiration_interval',
  group_type: 'group_runner_token_expiration_interval',
  project_type: 'project_runner_token_expiration_interval',
} as const;

/** Expiry time of a runner token issued now; null if it never expires. */
export function tokenExpiry(settings: ApplicationSettings, type: RunnerType, now: number): number | null {
  const seconds = settings[lifetimes[type]];
  return seconds === null ? null : now + seconds * 1000;
}

/** Whether users other than administrators may register runners of this type. */
export function mayRegister({ valid_runner_registrars }: ApplicationSettings, type: RunnerType): boolean {
  if (type === 'instance_type') return false;
  return valid_runner_registrars.includes(type === 'group_type' ? 'group' : 'project');
}
