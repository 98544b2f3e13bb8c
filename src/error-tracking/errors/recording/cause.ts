import { isContention } from '../../../platform/database/conditions.ts';
import { outageReason } from '../../../platform/http/server/outages.ts';

/**
 * Whether recording failed because of the events, and not because the database or the disk was not available or busy.
 * What is not known to be such a condition counts as caused by the events: taken for an outage, it would hold up all
 * others; taken for the events' fault, it costs a delay, and after a while an administrator's attention.
 */
export function isCausedByEvents(error: unknown): boolean {
  return outageReason(error) === undefined && !isContention(error);
}
