import type { Services } from '../../access/services.ts';
import { durationSeconds } from '../config/public.ts';

/** Whether a pipeline or job is older than the instance's archive age. */
export function isArchived({ settings }: Pick<Services, 'settings'>, createdAt: number): boolean {
  const after = settings.latest().archive_builds_in_human_readable;
  const seconds = after ? durationSeconds(after) : null;
  return seconds !== null && createdAt < Date.now() - seconds * 1000;
}
