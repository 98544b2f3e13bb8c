import type { Services } from '../../../access/services.ts';
import type { Project } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { deleteOrMark } from '../removal/service.ts';
import { deleteWarning, type InactiveProject, inactiveSince, recordWarning } from './store.ts';

declare module '../../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A project is inactive and will be deleted at `deletedAt` unless there is new activity. */
    'project.inactive': { readonly project: Project; readonly deletedAt: number };
  }
}

const atOnce = 50;
const mebibyte = 1024 * 1024;

/** Adds calendar months; a day beyond the end of the month becomes its last day. */
function addMonths(instant: number, months: number): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

/**
 * Daily, if enabled: warns the members of inactive projects, and deletes projects that stayed inactive after the
 * warning.
 */
export async function removeInactive(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const settings = await services.settings.read();
  if (!settings.delete_inactive_projects) return;
  const warnAfter = settings.inactive_projects_send_warning_email_after_months;
  const deleteAfter = Math.max(settings.inactive_projects_delete_after_months, warnAfter);
  const since = addMonths(now, -warnAfter);
  const minBytes = settings.inactive_projects_min_size_mb * mebibyte;
  for (let after = 0; ; ) {
    const found = await inactiveSince(services.db.read, { since, minBytes, after }, atOnce);
    for (const project of found) {
      signal.throwIfAborted();
      await services.db.write((trx) => warnOrDelete(services, trx, project, { now, grace: deleteAfter - warnAfter }));
    }
    after = found.at(-1)?.id ?? after;
    if (found.length < atOnce) return;
  }
}

async function warnOrDelete(
  services: Services,
  trx: Writer,
  snapshot: InactiveProject,
  { now, grace }: { readonly now: number; readonly grace: number },
): Promise<void> {
  const project = await lockRow(trx, 'projects', snapshot.id);
  // There was new activity meanwhile, or the project is already marked for deletion.
  if (project?.last_activity_at !== snapshot.last_activity_at || project.marked_for_deletion_at !== null) return;
  // Warnings from before the last activity no longer count.
  const warned =
    snapshot.warned_at !== null && snapshot.warned_at > project.last_activity_at ? snapshot.warned_at : null;
  if (warned === null) {
    await recordWarning(trx, project.id, now);
    await services.announce(trx, 'project.inactive', { project, deletedAt: addMonths(now, grace) });
  } else if (addMonths(warned, grace) <= now) {
    await deleteWarning(trx, project.id);
    await deleteOrMark(services, trx, project, null);
  }
}
