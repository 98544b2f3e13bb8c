import { settingsAbove, settingsOf } from '../../access/stored-settings.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { hasListeners } from './store.ts';

/** Something that changed, as far as it decides who may be told. */
interface Changed {
  readonly type: 'Issue' | 'MergeRequest';
  readonly item: { readonly id: number; readonly project_id: number; readonly user_notes_count: number };
  readonly involved: readonly number[];
  /** What was written, where people may be called in it. */
  readonly text: string | null;
}

/**
 * Whether anybody may have to be told of what somebody did. Most of what programs open concerns nobody else, and
 * looking for those who do not exist would take longer than to open it.
 */
export async function mayHaveRecipients(trx: Writer, actorId: number, changed: Changed): Promise<boolean> {
  const { type, item, involved, text } = changed;
  if (item.user_notes_count > 0 || involved.some((id) => id !== actorId)) return true;
  // An `@` may be written as an entity.
  if (text !== null && /[@&]/.test(text)) return true;
  return hasListeners(trx, { type, id: item.id, projectId: item.project_id, actorId });
}

/** A project, or a group around it, can be kept free of mail. */
export async function wantsMail(db: Reader, project: Project): Promise<boolean> {
  return settingsOf(project).emails_enabled !== false && (await groupWantsMail(db, project.namespace_id));
}

/** So can a group, or one above it. */
export async function groupWantsMail(db: Reader, id: number): Promise<boolean> {
  const above = await settingsAbove(db, id);
  return above.every(({ settings }) => settings.emails_enabled !== false);
}
