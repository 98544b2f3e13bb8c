import { activeBroadcasts, targetLevels } from '../../access/broadcast-messages.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { BroadcastMessage } from '../../access/tables.ts';
import { trimLeading } from '../../platform/trim.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';

const rule = '='.repeat(72);

/**
 * Returns the broadcast banner shown to git clients after a push: the latest banner that targets the project, or else
 * the latest one for all projects.
 */
export async function pushBanner({ db }: Services, { fullPath, standing }: ProjectSubject): Promise<string[]> {
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

/** Control characters are removed, as the terminal would interpret them. */
const plainLines = (text: string): string[] => text.split(/\r?\n/).map((line) => line.replace(/\p{Cc}/gu, ''));
