import { type AttributePattern, matchesPattern } from '../../platform/git/trees/attributes-pattern.ts';

/** Which paths a line of a file of code owners is about. */
export type OwnerPattern = AttributePattern;

/**
 * Without a slash in front a pattern holds in every folder; one that ends with a slash, for everything below. A folder
 * named without that slash is a file's name, as for those who wrote such files elsewhere.
 */
export function ownerPattern(source: string): OwnerPattern {
  const rooted = source.startsWith('/') ? source.slice(1) : source;
  const below = rooted.endsWith('/') ? `${rooted}**/*` : rooted;
  const segments = below.split('/').filter((segment, at, all) => segment !== '' || at === all.length - 1);
  return { basenameOnly: false, segments: source.startsWith('/') ? segments : ['**', ...segments] };
}

export const matchesOwnerPattern = matchesPattern;
