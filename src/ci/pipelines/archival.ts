import type { Services } from '../../access/services.ts';
import { durationSeconds } from '../config/public.ts';

/** Is a pipeline or job so old that administrators have it left as it is? */
export function isArchived({ settings }: Pick<Services, 'settings'>, createdAt: number): boolean {
  const after = settings.latest().archive_builds_in_human_readable;
  const seconds = after ? durationSeconds(after) : null;
  return seconds !== null && createdAt < Date.now() - seconds * 1000;
}
