import type { BasicUserEntity } from '../../people/users/public.ts';
import { instant } from '../../platform/http/schema.ts';
import { actionName } from './event.ts';
import { type EmbeddedNote, isOfNote } from './notes.ts';
import type { EventEntity } from './schema.ts';
import type { EventRow } from './tables.ts';

/** Serializes an event with its author and note. */
export function presentEvent(
  row: EventRow,
  authors: ReadonlyMap<number, BasicUserEntity>,
  notes: ReadonlyMap<number, EmbeddedNote>,
): EventEntity {
  const author = row.author_id === null ? undefined : authors.get(row.author_id);
  const note = isOfNote(row) && row.target_id !== null ? notes.get(row.target_id) : undefined;
  return {
    id: row.id,
    project_id: row.project_id,
    action_name: actionName(row),
    target_id: row.target_id,
    target_iid: row.target_iid,
    target_type: row.target_type,
    author_id: row.author_id,
    target_title: row.target_title,
    created_at: instant(row.created_at),
    ...(note ? { note: { ...note, ...(author ? { author } : {}) } } : {}),
    ...(author ? { author } : {}),
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    ...(row.push_action === null ? {} : { push_data: pushData(row) }),
    author_username: author?.username ?? null,
  };
}

function pushData(row: EventRow): NonNullable<EventEntity['push_data']> {
  return {
    commit_count: row.commit_count ?? 0,
    action: row.push_action ?? '',
    ref_type: row.ref_type ?? '',
    commit_from: row.commit_from,
    commit_to: row.commit_to,
    ref: row.ref,
    commit_title: row.commit_title,
    ref_count: row.ref_count,
  };
}
