import { type AttributePattern, matchesPattern } from '../../platform/git/trees/attributes-pattern.ts';

/** The path pattern of a CODEOWNERS entry. */
export type OwnerPattern = AttributePattern;

/**
 * Parses a pattern. Without a leading slash it matches in every folder; with a trailing slash it matches everything
 * below. Without a trailing slash it only matches files, not folders, like GitLab's.
 */
export function ownerPattern(source: string): OwnerPattern {
  const rooted = source.startsWith('/') ? source.slice(1) : source;
  const below = rooted.endsWith('/') ? `${rooted}**/*` : rooted;
  const segments = below.split('/').filter((segment, at, all) => segment !== '' || at === all.length - 1);
  return { basenameOnly: false, segments: source.startsWith('/') ? segments : ['**', ...segments] };
}

export const matchesOwnerPattern = matchesPattern;
