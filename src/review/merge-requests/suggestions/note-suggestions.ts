import { isUtf8 } from 'node:buffer';
import type { Services } from '../../../access/services.ts';
import type { NoteRow } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { ObjectTooLargeError } from '../../../platform/git/objects/objects.ts';
import { readPosition, type StoredPosition } from '../discussions/stored-position.ts';
import { requestsById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { parseSuggestions } from './parse.ts';
import { linesBetween } from './replace.ts';
import type { SuggestionEntity } from './schema.ts';
import { replaceSuggestions, suggestionsOfNotes } from './store.ts';
import type { SuggestionRow } from './tables.ts';

/** Stores the suggestions in a diff note of a merge request. */
export async function storeSuggestions(
  _services: Services,
  trx: Writer,
  { action, note }: { readonly action: 'create' | 'update' | 'delete'; readonly note: NoteRow },
): Promise<void> {
  if (action === 'delete' || note.noteable_type !== 'MergeRequest' || note.type !== 'DiffNote') return;
  if (note.position === null) return;
  const { position_type, new_line } = readPosition(note.position);
  if (position_type !== 'text' || new_line == null) return;
  const proposals = parseSuggestions(note.body);
  if (action === 'update' || proposals.length > 0) await replaceSuggestions(trx, note.id, proposals);
}

/** Content of a file at a commit; undefined if there is none, or it cannot be edited as text. */
export async function textAt(
  { git }: Services,
  projectId: number,
  commit: string,
  path: string,
): Promise<string | undefined> {
  const objects = git.objects(git.repository(projectId));
  const tree = (await objects.commit(commit))?.tree;
  const entry = tree === undefined ? null : await objects.entryAt(tree, path);
  if (!entry || (entry.mode !== '100644' && entry.mode !== '100755')) return undefined;
  try {
    const blob = await objects.blob(entry.oid);
    return blob !== null && isUtf8(blob) ? blob.toString('utf8') : undefined;
  } catch (error) {
    if (error instanceof ObjectTooLargeError) return undefined;
    throw error;
  }
}

/** Range of lines that a suggestion replaces. */
export function rangeOf({ lines_above, lines_below }: SuggestionRow, { new_line }: StoredPosition) {
  const line = new_line ?? 1;
  return { from: Math.max(line - lines_above, 1), to: line + lines_below };
}

/** A suggestion with the current content of its lines and the content when it was made. */
export interface SuggestionState {
  readonly from: number;
  readonly to: number;
  readonly path: string;
  readonly written: string | undefined;
  readonly current: string | undefined;
  readonly outdated: boolean;
}

export async function suggestionState(
  services: Services,
  request: MergeRequestRow,
  suggestion: SuggestionRow,
  note: NoteRow,
): Promise<SuggestionState> {
  const now = readPosition(note.position ?? '');
  const then = readPosition(note.original_position ?? note.position ?? '');
  const lines = async (position: StoredPosition) => {
    const text = await textAt(services, request.project_id, position.head_sha, position.new_path);
    const { from, to } = rangeOf(suggestion, position);
    return text === undefined ? undefined : linesBetween(text, from, to);
  };
  const [written, current] = await Promise.all([lines(then), lines(now)]);
  const outdated = note.change_position !== null || current !== written;
  return { ...rangeOf(suggestion, now), path: now.new_path, written, current, outdated };
}

export function present(
  request: Pick<MergeRequestRow, 'state'>,
  { id, to_content, commit_id }: SuggestionRow,
  { from, to, written, outdated }: SuggestionState,
): SuggestionEntity {
  return {
    id,
    from_line: from,
    to_line: to,
    appliable:
      commit_id === null && request.state === 'opened' && !outdated && written !== undefined && written !== to_content,
    applied: commit_id !== null,
    from_content: written ?? '',
    to_content,
  };
}

/** Suggestions of diff notes by note ID. */
export async function suggestionsOf(
  services: Services,
  notes: readonly NoteRow[],
): Promise<ReadonlyMap<number, SuggestionEntity[]>> {
  const rows = await suggestionsOfNotes(
    services.db.read,
    notes.map(({ id }) => id),
  );
  const found = new Map<number, SuggestionEntity[]>();
  if (rows.length === 0) return found;
  const byId = new Map(notes.map((note) => [note.id, note]));
  const requests = await requestsById(
    services.db.read,
    notes.flatMap(({ noteable_id }) => noteable_id ?? []),
  );
  for (const row of rows) {
    const note = byId.get(row.note_id);
    const request = note?.noteable_id == null ? undefined : requests.get(note?.noteable_id);
    if (!note || !request) continue;
    const entity = present(request, row, await suggestionState(services, request, row, note));
    found.set(note.id, [...(found.get(note.id) ?? []), entity]);
  }
  return found;
}
