import { hash } from 'node:crypto';
import { trimTrailing } from '../../platform/trim.ts';
import { type Tier, tiers } from './tables.ts';

const maxSlugLength = 24;

/**
 * The environment name as a DNS label of at most 24 characters. A digest is appended when the conversion loses
 * information.
 */
export function slugOf(name: string): string {
  let slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .replace(/-+/g, '-');
  if (!/^[a-z]/.test(slug)) slug = `env-${slug}`;
  if (slug === name && slug.length <= maxSlugLength && !slug.endsWith('-')) return slug;
  const suffix = BigInt(`0x${hash('sha256', name)}`)
    .toString(36)
    .slice(-6);
  return `${trimTrailing(slug.slice(0, maxSlugLength - 7), '-')}-${suffix}`;
}

const tierPatterns: readonly (readonly [RegExp, Tier])[] = [
  [/(dev|review|trunk)/i, 'development'],
  [/(test|tst|int|ac(ce|)pt|qa|qc|control|quality)/i, 'testing'],
  [/(st(a|)g|mod(e|)l|pre|demo|non)/i, 'staging'],
  [/(pr(o|)d|live)/i, 'production'],
];

/** Guesses the deployment tier from the name of an environment. */
export function tierOf(name: string): Tier {
  return tierPatterns.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** The tier with this name, if it is valid. */
export function tierNamed(text: string | null): Tier | undefined {
  return tiers.find((tier) => tier === text);
}

/** Validates the name of an environment. Returns the error, if any. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return "can't be blank";
  if ([...name].length > 255) return 'is too long (maximum is 255 characters)';
  if (/^[\w\-/${}. ]+$/.test(name) && !/^\/|\/$/.test(name)) return undefined;
  return "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
}

/** Validates the external URL of an environment, which is shown as a link. */
export function urlProblem(address: string): string | undefined {
  if (address.length > 255) return 'is too long (maximum is 255 characters)';
  const url = URL.parse(address);
  if (!url) return 'must be a valid URL';
  return /^(https?|ftp|git|ssh|postgres|mysql|redis|amqp|mongodb):$/.test(url.protocol)
    ? undefined
    : 'must be a valid URL';
}

/** Validates a Kubernetes namespace. */
export function namespaceProblem(name: string): string | undefined {
  if (name.length > 63) return 'is too long (maximum is 63 characters)';
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined;
  return "can contain only lowercase letters, digits, and '-'. Must start with a letter, and cannot end with '-'";
}

/** Validates the path of a Flux resource. */
export function fluxPathProblem(path: string): string | undefined {
  if (path.length > 255) return 'is too long (maximum is 255 characters)';
  return /^[\w.~-]+(\/[\w.~-]+)*$/.test(path) ? undefined : 'is invalid';
}
