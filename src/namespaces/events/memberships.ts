import type { Services } from '../../access/services.ts';
import type { Member } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { recordEvent } from './store.ts';

/** Somebody became a member of a project, which is what they did; of groups no feed tells. */
export async function recordJoined(
  _services: Services,
  trx: Writer,
  { member: { project_id: projectId, user_id: authorId } }: { readonly member: Member },
): Promise<void> {
  if (projectId === null) return;
  await recordEvent(trx, { projectId, authorId, action: 'joined', audience: 'project' });
}

/** They left, were sent away, or their time was over. */
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
