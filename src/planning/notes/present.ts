import type { Services } from '../../access/services.ts';
import type { EmbeddedNote } from '../../namespaces/events/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { storedRecord } from '../../platform/stored-json.ts';
import type { Noteable } from './noteable.ts';
import type { NoteEntity } from './schema.ts';
import { authorDetails, findNotes, noteableIids } from './store.ts';
import type { NoteRow } from './tables.ts';

/** Returns the suggestions in diff notes, by note ID. */
export type SuggestionFinder = (
  services: Services,
  rows: readonly NoteRow[],
) => Promise<ReadonlyMap<number, readonly unknown[]>>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'notes.suggestions': SuggestionFinder;
  }
}

const takesSuggestions = (row: NoteRow) =>
  row.type === 'DiffNote' && row.noteable_type === 'MergeRequest' && row.system === 0;

/** Threads are resolvable, and so are notes that start one; system notes are not. */
export function isResolvable(row: NoteRow, noteable: Pick<Noteable, 'resolvable'>): boolean {
  return noteable.resolvable && row.system === 0 && row.type !== null;
}

/** Commits have no numeric ID that clients know. */
export function noteableId({ noteable_type, noteable_id }: NoteRow): number | null {
  return noteable_type === 'Commit' ? null : noteable_id;
}

/** Attributes of the noteable that the presentation of its notes depends on. */
type About = Pick<Noteable, 'iid' | 'resolvable'>;

/** Presents notes of one noteable with their authors, in a fixed number of queries. */
export function presentNotes(
  services: Services,
  noteable: About,
  rows: readonly NoteRow[],
  changes: Readonly<Record<string, unknown>> = {},
): Promise<NoteEntity[]> {
  return presentRows(services, rows, () => noteable, changes);
}

async function presentRows(
  services: Services,
  rows: readonly NoteRow[],
  aboutOf: (row: NoteRow) => About,
  changes: Readonly<Record<string, unknown>>,
): Promise<NoteEntity[]> {
  const { db, externalUrl } = services;
  const authorIds = rows.map(({ author_id }) => author_id);
  const onLines = rows.filter(takesSuggestions);
  const finders = onLines.length === 0 ? [] : services.contributions('notes.suggestions');
  const [users, details, ...proposed] = await Promise.all([
    basicUsers(db.read, [...authorIds, ...rows.map(({ resolved_by_id }) => resolved_by_id)], externalUrl),
    authorDetails(db.read, authorIds),
    ...finders.map((find) => find(services, onLines)),
  ]);
  return rows.map((row): NoteEntity => {
    const author = users.get(row.author_id);
    const detail = details.get(row.author_id);
    if (!author || !detail) throw new Error(`the author of note ${row.id} is missing`);
    const about = aboutOf(row);
    const resolvable = isResolvable(row, about);
    return {
      id: row.id,
      type: row.type,
      body: row.body,
      attachment: null,
      author: { ...author, created_at: instant(detail.created_at), email: detail.public_email || null },
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      system: row.system === 1,
      noteable_id: noteableId(row),
      noteable_type: row.noteable_type,
      project_id: row.project_id,
      ...(row.commit_id === null && !isOnChanges(row) ? {} : { commit_id: row.commit_id }),
      ...(row.position === null || row.type === 'LegacyDiffNote' ? {} : { position: storedRecord(row.position) }),
      resolvable,
      ...(resolvable
        ? {
            resolved: row.resolved_at !== null,
            resolved_by: (row.resolved_by_id !== null && users.get(row.resolved_by_id)) || null,
            resolved_at: instantOrNull(row.resolved_at),
          }
        : {}),
      ...(takesSuggestions(row) && { suggestions: proposed.flatMap((found) => found.get(row.id) ?? []) }),
      confidential: row.internal === 1,
      internal: row.internal === 1,
      imported: row.imported_from !== 'none',
      imported_from: row.imported_from,
      noteable_iid: about.iid,
      commands_changes: { ...changes },
    };
  });
}

/** Diff notes of a merge request include the ID of the commit they are on, if any. */
const isOnChanges = ({ noteable_type, type }: NoteRow) => noteable_type === 'MergeRequest' && type === 'DiffNote';

/** Types of noteables without resolvable threads. */
const unresolvable: ReadonlySet<string> = new Set(['Commit', 'Snippet', 'WikiPage::Meta']);

/** Presents notes of arbitrary noteables. */
export async function presentFound(services: Services, rows: readonly NoteRow[]): Promise<NoteEntity[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const iids = await noteableIids(services.db.read, ids);
  const aboutOf = ({ id, noteable_type }: NoteRow) => ({
    iid: iids.get(id) ?? null,
    resolvable: !unresolvable.has(noteable_type),
  });
  return presentRows(services, rows, aboutOf, {});
}

/** Presents notes for the activity feed. */
export async function notesOfEvents(db: Reader, ids: readonly number[]): Promise<EmbeddedNote[]> {
  const [rows, iids] = await Promise.all([findNotes(db, ids), noteableIids(db, ids)]);
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    body: row.body,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    system: row.system === 1,
    noteable_id: noteableId(row),
    noteable_type: row.noteable_type,
    project_id: row.project_id,
    resolvable: isResolvable(row, { resolvable: !unresolvable.has(row.noteable_type) }),
    confidential: row.internal === 1,
    internal: row.internal === 1,
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    noteable_iid: iids.get(row.id) ?? null,
    commands_changes: {},
  }));
}
