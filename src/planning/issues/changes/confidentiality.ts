import type { Services } from '../../../access/services.ts';
import { changeAudience } from '../../../namespaces/events/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { noteIdsAfter } from '../../notes/public.ts';
import { targetOf } from './records.ts';

const noteTypes = ['Note', 'DiscussionNote', 'DiffNote'] as const;

/** Moves the activity events of an issue to the audience that matches its new confidentiality. */
export async function updateActivityVisibility(
  _services: Services,
  trx: Writer,
  { before, after: { issue } }: DomainEvents['issue.changed'],
): Promise<void> {
  if (!before || before.issue.confidential === issue.confidential) return;
  const [from, to] =
    issue.confidential === 1 ? (['issues', 'confidential'] as const) : (['confidential', 'issues'] as const);
  await changeAudience(trx, { types: ['Issue'], ids: [issue.id] }, from, to);
  for (let last = 0; ; ) {
    const ids = await noteIdsAfter(trx, targetOf(issue), last);
    if (ids.length === 0) return;
    await changeAudience(trx, { types: noteTypes, ids }, from, to);
    last = ids.at(-1) ?? last;
  }
}
