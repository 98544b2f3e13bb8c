import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { type NoteRow, notes } from '../../../planning/notes/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { storedRecord } from '../../../platform/stored-json.ts';
import { noteablePart } from './noteable.ts';
import { type ProjectWithNamespace, projectPart, repositoryPart, userPart, utcText, utcTextOrNull } from './parts.ts';

const json = (text: string | null): unknown => (text === null ? null : storedRecord(text));

interface NoteChange {
  readonly action: 'create' | 'update';
  readonly note: NoteRow;
  /** Whether the note is not visible to everyone who can see the project. */
  readonly hidden: boolean;
}

/** Payload for a note, with its noteable. */
export async function notePayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  user: User,
  { action, note, hidden }: NoteChange,
): Promise<object> {
  const { part, url } = await noteablePart(services, db, located, note.noteable_type, note.noteable_id);
  return {
    object_kind: 'note',
    event_type: hidden ? 'confidential_note' : 'note',
    user: userPart(services, user),
    project_id: located.project.id,
    project: projectPart(services, located),
    object_attributes: {
      attachment: null,
      author_id: note.author_id,
      change_position: json(note.change_position),
      commit_id: note.commit_id,
      created_at: utcText(note.created_at),
      discussion_id: note.discussion_id,
      id: note.id,
      internal: note.internal === 1,
      line_code: note.line_code,
      note: note.body,
      noteable_id: notes.noteableId(note),
      noteable_type: note.noteable_type,
      original_position: json(note.original_position),
      position: json(note.position),
      project_id: note.project_id,
      resolved_at: utcTextOrNull(note.resolved_at),
      resolved_by_id: note.resolved_by_id,
      resolved_by_push: null,
      st_diff: null,
      system: note.system === 1,
      type: note.type,
      updated_at: utcText(note.updated_at),
      updated_by_id: note.updated_by_id,
      description: note.body,
      url: `${url}#note_${note.id}`,
      action,
    },
    repository: repositoryPart(services, located),
    ...part,
  };
}
