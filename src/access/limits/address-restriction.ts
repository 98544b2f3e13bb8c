import type { Reader } from '../../platform/database/database.ts';
import { addressRanges } from '../../platform/http/server/address-ranges.ts';
import type { Actor } from '../actor.ts';
import { storedSetting } from '../application-settings/source.ts';
import { settingsWithAncestors } from '../stored-settings.ts';

/** Whether a stored list of ranges contains the address. */
export function isListed(list: string, ip: string): boolean {
  return addressRanges(list.split(',').map((range) => range.trim()))(ip);
}

/**
 * Returns whether lists of allowed ranges exclude the actor's address. Globally allowed addresses are never excluded.
 */
export async function ipRestrictionCheck(db: Reader, { ip }: Actor): Promise<(lists: readonly string[]) => boolean> {
  if (ip === undefined) return () => false;
  const everywhere = await storedSetting(db, 'globally_allowed_ips');
  if (everywhere && isListed(everywhere, ip)) return () => false;
  return (lists) => lists.some((list) => !isListed(list, ip));
}

/**
 * Whether the IP restriction of a namespace, or of a group above it, excludes the actor's address. The server's own
 * actions are exempt.
 */
export async function isExcludedByIpRestriction(db: Reader, actor: Actor, namespaceId: number): Promise<boolean> {
  const above = await settingsWithAncestors(db, namespaceId);
  const lists = above.flatMap(({ settings: { ip_restriction_ranges: list } }) =>
    typeof list === 'string' ? list : [],
  );
  return (await ipRestrictionCheck(db, actor))(lists);
}
