import type { Breadcrumb } from '../../events/public.ts';
import { cleanObject, cleanText } from './clean.ts';
import { readInstant } from './clock.ts';
import { listOf, text, textOrNull } from './read.ts';

const most = 100;

/** What happened before: the last hundred. */
export function readBreadcrumbs(given: unknown): Breadcrumb[] {
  return listOf(given)
    .slice(-most)
    .map((one) => {
      const message = text(one.message, 2048);
      return {
        timestamp: readInstant(one.timestamp) ?? null,
        type: textOrNull(one.type, 64),
        category: textOrNull(one.category, 200),
        level: textOrNull(one.level, 32),
        message: message === undefined ? null : cleanText(message, 2048),
        data: cleanObject(one.data),
      };
    });
}
