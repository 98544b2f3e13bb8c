import type { Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Audience, NewEvent, TargetType } from './event.ts';
import type { EventRow } from './tables.ts';

const insertion = statement((db, param: Param<Omit<EventRow, 'id'>>) =>
  db.insertInto('events').values({
    project_id: param('project_id'),
    namespace_id: param('namespace_id'),
    author_id: param('author_id'),
    action: param('action'),
    audience: param('audience'),
    target_type: param('target_type'),
    target_id: param('target_id'),
    target_iid: param('target_iid'),
    target_title: param('target_title'),
    imported_from: param('imported_from'),
    push_action: param('push_action'),
    ref_type: param('ref_type'),
    ref: param('ref'),
    ref_count: param('ref_count'),
    commit_count: param('commit_count'),
    commit_from: param('commit_from'),
    commit_to: param('commit_to'),
    commit_title: param('commit_title'),
    created_at: param('created_at'),
  }),
);

/** Records an event in the transaction of the action it describes. */
export async function recordEvent(trx: Writer, event: NewEvent): Promise<void> {
  const { target, push } = event;
  await insertion.run(trx, {
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
  });
}

/** Changes the audience of existing events of the given targets. */
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
