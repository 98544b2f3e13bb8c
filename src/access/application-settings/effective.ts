import type { Config } from '../../config/config.ts';
import type { Reachable, Sender } from '../../platform/egress/client.ts';
import type { DiffLimits } from '../../platform/git/diff/limits.ts';
import type { Rate } from '../../platform/http/server/rate-limits.ts';
import { type ApplicationSettings, applicationSettings } from './list.ts';

const minute = 60_000;
const day = 86_400_000;
const mebibyte = 1024 * 1024;

/** How long a deleted project or group can be restored. The server may be started with less than a day. */
export function deletionDelay(config: Config, { deletion_adjourned_period: days }: ApplicationSettings): number {
  const fallback = applicationSettings.deletion_adjourned_period.fallback(config);
  return days === fallback ? config.deletionDelay : days * day;
}

/** The largest pack that a push may send, in bytes. */
export function largestPush(config: Config, { receive_max_input_size: size }: ApplicationSettings): number {
  const fallback = applicationSettings.receive_max_input_size.fallback(config);
  return size === null || size === fallback ? config.maxPush : size * mebibyte;
}

/** The largest artifact of a job where neither a project nor a group says, in bytes. */
export function largestArtifact(config: Config, { max_artifacts_size: size }: ApplicationSettings): number {
  return size === applicationSettings.max_artifacts_size.fallback(config) ? config.maxArtifact : size * mebibyte;
}

/** How long artifacts are kept that do not say, as it is written; undefined for as long as the server was told. */
export function defaultExpiry(config: Config, settings: ApplicationSettings): string | undefined {
  const { default_artifacts_expire_in: said } = settings;
  return said === applicationSettings.default_artifacts_expire_in.fallback(config) ? undefined : (said ?? undefined);
}

/** How much of a diff is shown, and the same as a text that tells answers under different limits apart. */
export function diffLimits(settings: ApplicationSettings): { readonly limits: DiffLimits; readonly key: string } {
  const { diff_max_patch_bytes: patchBytes, diff_max_files: files, diff_max_lines: lines } = settings;
  return { limits: { patchBytes, files, lines }, key: `${patchBytes} ${files} ${lines}` };
}

/** What requests may reach that go out for somebody. */
export function reachable(settings: ApplicationSettings, sender: Sender): Reachable {
  const { allow_local_requests_from_system_hooks: hooks, outbound_local_requests_whitelist: allowList } = settings;
  const allowLocal = sender === 'system hook' ? hooks : settings.allow_local_requests_from_web_hooks_and_services;
  return { allowLocal, allowList };
}

type Throttle = `${'authenticated' | 'unauthenticated'}_${'' | 'files_' | 'packages_'}api`;
type PageThrottle = 'authenticated_web' | 'unauthenticated_web' | 'protected_paths';

/** The rate of a throttle; undefined where it is switched off. */
export function throttleRate(
  settings: ApplicationSettings,
  name: Throttle | PageThrottle | 'authenticated_git_lfs',
): Rate | undefined {
  if (!settings[`throttle_${name}_enabled`]) return undefined;
  const count = settings[`throttle_${name}_requests_per_period`];
  return { count, period: settings[`throttle_${name}_period_in_seconds`] * 1000 };
}

/** After so many wrong passwords an account is locked, and for how long; undefined where it never is. */
export function passwordLock(
  { passwordAttempts, passwordLock: started }: Config,
  settings: Pick<ApplicationSettings, 'max_login_attempts' | 'failed_login_attempts_unlock_period_in_minutes'>,
): { readonly attempts: number; readonly duration: number } | undefined {
  const attempts = settings.max_login_attempts ?? passwordAttempts;
  if (attempts === 0) return undefined;
  const minutes = settings.failed_login_attempts_unlock_period_in_minutes;
  return { attempts, duration: minutes === null ? started : minutes * minute };
}

type SessionRules = Pick<
  ApplicationSettings,
  'session_expire_delay' | 'session_expire_from_init' | 'remember_me_enabled'
>;

const rememberedFor = 14 * 24 * 60 * minute;

/** How long a session lasts that begins, or that somebody asked to be remembered by. */
export function sessionLifetime(settings: SessionRules, remembered: boolean): number {
  const usual = settings.session_expire_delay * minute;
  return remembered && settings.remember_me_enabled ? Math.max(usual, rememberedFor) : usual;
}

/** For how long a use keeps a session alive. */
export const sessionRenewal = (settings: SessionRules): number =>
  settings.session_expire_from_init ? 0 : settings.session_expire_delay * minute;
