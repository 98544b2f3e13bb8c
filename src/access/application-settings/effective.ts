import type { Config } from '../../config/config.ts';
import type { AllowedDestinations, Sender } from '../../platform/egress/client.ts';
import type { DiffLimits } from '../../platform/git/diff/limits.ts';
import type { Rate } from '../../platform/http/server/rate-limits.ts';
import { type ApplicationSettings, applicationSettings } from './list.ts';

const minute = 60_000;
const day = 86_400_000;
const mebibyte = 1024 * 1024;

/** How long a deleted project or group can be restored. The startup setting may be less than a day. */
export function deletionDelay(config: Config, { deletion_adjourned_period: days }: ApplicationSettings): number {
  const fallback = applicationSettings.deletion_adjourned_period.fallback(config);
  return days === fallback ? config.deletionDelay : days * day;
}

/** Maximum size of a pushed pack, in bytes. */
export function largestPush(config: Config, { receive_max_input_size: size }: ApplicationSettings): number {
  const fallback = applicationSettings.receive_max_input_size.fallback(config);
  return size === null || size === fallback ? config.maxPush : size * mebibyte;
}

/** Maximum size of a job artifact, in bytes, unless the project or group sets another. */
export function largestArtifact(config: Config, { max_artifacts_size: size }: ApplicationSettings): number {
  return size === applicationSettings.max_artifacts_size.fallback(config) ? config.maxArtifact : size * mebibyte;
}

/** The default expiry of artifacts as text; undefined if the startup setting applies. */
export function defaultExpiry(config: Config, settings: ApplicationSettings): string | undefined {
  const { default_artifacts_expire_in: expiry } = settings;
  return expiry === applicationSettings.default_artifacts_expire_in.fallback(config)
    ? undefined
    : (expiry ?? undefined);
}

/** The limits of displayed diffs, and a text that identifies them in cache keys. */
export function diffLimits(settings: ApplicationSettings): { readonly limits: DiffLimits; readonly key: string } {
  const { diff_max_patch_bytes: patchBytes, diff_max_files: files, diff_max_lines: lines } = settings;
  return { limits: { patchBytes, files, lines }, key: `${patchBytes} ${files} ${lines}` };
}

/** The destinations that outgoing requests may reach. */
export function allowedDestinations(settings: ApplicationSettings, sender: Sender): AllowedDestinations {
  const { allow_local_requests_from_system_hooks: hooks, outbound_local_requests_whitelist: allowList } = settings;
  const allowLocal = sender === 'system hook' ? hooks : settings.allow_local_requests_from_web_hooks_and_services;
  return { allowLocal, allowList };
}

type Throttle = `${'authenticated' | 'unauthenticated'}_${'' | 'files_' | 'packages_'}api`;
type PageThrottle = 'authenticated_web' | 'unauthenticated_web' | 'protected_paths';

/** The rate of a throttle; undefined if it is disabled. */
export function throttleRate(
  settings: ApplicationSettings,
  name: Throttle | PageThrottle | 'authenticated_git_lfs',
): Rate | undefined {
  if (!settings[`throttle_${name}_enabled`]) return undefined;
  const count = settings[`throttle_${name}_requests_per_period`];
  return { count, period: settings[`throttle_${name}_period_in_seconds`] * 1000 };
}

/** After how many failed sign-ins an account is locked, and for how long; undefined if it is never locked. */
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

/** Lifetime of a new session, with or without "remember me". */
export function sessionLifetime(settings: SessionRules, remembered: boolean): number {
  const standard = settings.session_expire_delay * minute;
  return remembered && settings.remember_me_enabled ? Math.max(standard, rememberedFor) : standard;
}

/** How long each use extends a session. */
export const sessionRenewal = (settings: SessionRules): number =>
  settings.session_expire_from_init ? 0 : settings.session_expire_delay * minute;
