import type { Reader } from '../../platform/database/database.ts';
import { addressRanges } from '../../platform/http/server/address-ranges.ts';
import type { Actor } from '../actor.ts';
import { storedSetting } from '../application-settings/source.ts';
import { settingsAbove } from '../stored-settings.ts';

/** Does a list of ranges, as it is stored, hold the address? */
export function isListed(list: string, ip: string): boolean {
  return addressRanges(list.split(',').map((range) => range.trim()))(ip);
}

/** Which addresses do groups with these lists keep out? Those that administrators let in everywhere, none does. */
export async function keepingOut(db: Reader, { ip }: Actor): Promise<(lists: readonly string[]) => boolean> {
  if (ip === undefined) return () => false;
  const everywhere = await storedSetting(db, 'globally_allowed_ips');
  if (everywhere && isListed(everywhere, ip)) return () => false;
  return (lists) => lists.some((list) => !isListed(list, ip));
}

/** Is the address that an actor comes from kept out by the namespace or a group above it? What the server itself does is not. */
export async function isKeptOut(db: Reader, actor: Actor, namespaceId: number): Promise<boolean> {
  const above = await settingsAbove(db, namespaceId);
  const lists = above.flatMap(({ settings: { ip_restriction_ranges: list } }) =>
    typeof list === 'string' ? list : [],
  );
  return (await keepingOut(db, actor))(lists);
}
