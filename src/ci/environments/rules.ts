import { hash } from 'node:crypto';
import { trimTrailing } from '../../platform/trim.ts';
import { type Tier, tiers } from './tables.ts';

const longestSlug = 24;

/** The name as a part of host names: 24 characters. What cannot be told from others by that is told by a digest. */
export function slugOf(name: string): string {
  let slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .replace(/-+/g, '-');
  if (!/^[a-z]/.test(slug)) slug = `env-${slug}`;
  if (slug === name && slug.length <= longestSlug && !slug.endsWith('-')) return slug;
  const suffix = BigInt(`0x${hash('sha256', name)}`)
    .toString(36)
    .slice(-6);
  return `${trimTrailing(slug.slice(0, longestSlug - 7), '-')}-${suffix}`;
}

const wordsOfTiers: readonly (readonly [RegExp, Tier])[] = [
  [/(dev|review|trunk)/i, 'development'],
  [/(test|tst|int|ac(ce|)pt|qa|qc|control|quality)/i, 'testing'],
  [/(st(a|)g|mod(e|)l|pre|demo|non)/i, 'staging'],
  [/(pr(o|)d|live)/i, 'production'],
];

/** What kind of environment a name speaks of. */
export function tierOf(name: string): Tier {
  return wordsOfTiers.find(([words]) => words.test(name))?.[1] ?? 'other';
}

/** The tier of that name; undefined where there is none. */
export function tierNamed(text: string | null): Tier | undefined {
  return tiers.find((tier) => tier === text);
}

/** Why a name cannot be one of an environment; undefined where it can. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return "can't be blank";
  if ([...name].length > 255) return 'is too long (maximum is 255 characters)';
  if (/^[\w\-/${}. ]+$/.test(name) && !/^\/|\/$/.test(name)) return undefined;
  return "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
}

/** Why an address cannot be one of an environment: it is shown as a link. */
export function addressProblem(address: string): string | undefined {
  if (address.length > 255) return 'is too long (maximum is 255 characters)';
  const url = URL.parse(address);
  if (!url) return 'must be a valid URL';
  return /^(https?|ftp|git|ssh|postgres|mysql|redis|amqp|mongodb):$/.test(url.protocol)
    ? undefined
    : 'must be a valid URL';
}

/** Why a text cannot be a namespace of a cluster. */
export function namespaceProblem(name: string): string | undefined {
  if (name.length > 63) return 'is too long (maximum is 63 characters)';
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined;
  return "can contain only lowercase letters, digits, and '-'. Must start with a letter, and cannot end with '-'";
}

/** Why a text cannot be the path of a Flux resource. */
export function fluxPathProblem(path: string): string | undefined {
  if (path.length > 255) return 'is too long (maximum is 255 characters)';
  return /^[\w.~-]+(\/[\w.~-]+)*$/.test(path) ? undefined : 'is invalid';
}
