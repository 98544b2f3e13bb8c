import type { Reader } from '../../platform/database/database.ts';
import { addressRanges } from '../../platform/http/server/address-ranges.ts';
import type { Actor } from '../actor.ts';
import { settingsAbove } from '../stored-settings.ts';

/** Does a group's list of ranges, as it is stored, hold the address? */
export function isListed(list: string, ip: string): boolean {
  return addressRanges(list.split(',').map((range) => range.trim()))(ip);
}

/** Is the address that an actor comes from kept out by the namespace or a group above it? What the server itself does is not. */
export async function isKeptOut(db: Reader, { ip }: Actor, namespaceId: number): Promise<boolean> {
  if (ip === undefined) return false;
  const above = await settingsAbove(db, namespaceId);
  return above.some(({ settings: { ip_restriction_ranges: list } }) => typeof list === 'string' && !isListed(list, ip));
}
