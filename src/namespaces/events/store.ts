import type { Writer } from '../../platform/database/database.ts';
import type { NewEvent } from './event.ts';

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
