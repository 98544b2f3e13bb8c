import { activeBroadcasts, targetLevels } from '../../access/broadcast-messages.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { BroadcastMessage } from '../../access/tables.ts';
import { trimLeading } from '../../platform/trim.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';

const rule = '='.repeat(72);

/**
 * What the administrators tell whoever pushes to a project by git: the latest of their banners, one that is for this project
 * before those that are for all.
 */
export async function bannerOf({ db }: Services, { fullPath, standing }: ProjectSubject): Promise<string[]> {
  const banners = (await activeBroadcasts(db.read)).filter(
    (message) => message.broadcast_type === 'banner' && isFor(standing.level, message),
  );
  const own = banners.findLast(({ target_path: pattern }) => pattern !== null && fits(pattern, fullPath));
  const banner = own ?? banners.findLast(({ target_path: pattern }) => pattern === null);
  return banner ? ['', rule, '', ...plainLines(banner.message), '', rule, ''] : [];
}

function isFor(level: number, { target_access_levels }: BroadcastMessage): boolean {
  const levels = targetLevels(target_access_levels);
  return levels.length === 0 || levels.includes(level);
}

const fits = (pattern: string, fullPath: string) =>
  matchesWildcard(trimLeading(pattern, '/').toLowerCase(), fullPath.toLowerCase());

/** A terminal obeys control characters: it gets none. */
const plainLines = (text: string): string[] => text.split(/\r?\n/).map((line) => line.replace(/\p{Cc}/gu, ''));
