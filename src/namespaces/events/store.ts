import type { Writer } from '../../platform/database/database.ts';
import type { Audience, NewEvent, TargetType } from './event.ts';

/** Records what somebody did, in the transaction in which they did it. */
export async function recordEvent(trx: Writer, event: NewEvent): Promise<void> {
  const { target, push } = event;
  await trx
    .insertInto('events')
    .values({
      project_id: event.projectId,
      namespace_id: event.namespaceId ?? null,
      author_id: event.authorId,
      action: event.action,
      audience: event.audience,
      target_type: target?.type ?? null,
      target_id: target?.id ?? null,
      target_iid: target?.iid ?? null,
      target_title: target?.title ?? null,
      imported_from: event.importedFrom ?? 'none',
      push_action: push?.action ?? null,
      ref_type: push?.refType ?? null,
      ref: push?.ref ?? null,
      ref_count: push?.refCount ?? null,
      commit_count: push?.commitCount ?? null,
      commit_from: push?.commitFrom ?? null,
      commit_to: push?.commitTo ?? null,
      commit_title: push?.commitTitle ?? null,
      created_at: event.at ?? Date.now(),
    })
    .execute();
}

/** What was told of targets to some is told to others from now on. */
export async function changeAudience(
  trx: Writer,
  { types, ids }: { readonly types: readonly TargetType[]; readonly ids: readonly number[] },
  from: Audience,
  to: Audience,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('events')
    .set({ audience: to })
    .where('target_type', 'in', types)
    .where('target_id', 'in', ids)
    .where('audience', '=', from)
    .execute();
}
