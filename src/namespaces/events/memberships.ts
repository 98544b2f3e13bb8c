import type { Services } from '../../access/services.ts';
import type { Member } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { recordEvent } from './store.ts';

/** Records that a user joined a project. Group memberships produce no events. */
export async function recordJoined(
  _services: Services,
  trx: Writer,
  { member: { project_id: projectId, user_id: authorId } }: { readonly member: Member },
): Promise<void> {
  if (projectId === null) return;
  await recordEvent(trx, { projectId, authorId, action: 'joined', audience: 'project' });
}

/** Records that a membership ended: the user left, was removed, or the membership expired. */
export async function recordLeft(
  _services: Services,
  trx: Writer,
  {
    member: { project_id: projectId, user_id: authorId },
    expired,
  }: { readonly member: Member; readonly expired: boolean },
): Promise<void> {
  if (projectId === null) return;
  await recordEvent(trx, { projectId, authorId, action: expired ? 'expired' : 'left', audience: 'project' });
}
