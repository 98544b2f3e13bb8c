import { settingsOf, settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { hasListeners } from './store.ts';

/** The attributes of a changed object that determine its possible recipients. */
interface Changed {
  readonly type: 'Issue' | 'MergeRequest';
  readonly item: { readonly id: number; readonly project_id: number; readonly user_notes_count: number };
  readonly involved: readonly number[];
  /** The text that may contain mentions. */
  readonly text: string | null;
}

/**
 * Whether an event may have recipients besides its actor. Most objects that programs create have none, and resolving
 * the recipients would take longer than creating the object.
 */
export async function mayHaveRecipients(trx: Writer, actorId: number, changed: Changed): Promise<boolean> {
  const { type, item, involved, text } = changed;
  if (item.user_notes_count > 0 || involved.some((id) => id !== actorId)) return true;
  // An `@` may be written as an HTML entity.
  if (text !== null && /[@&]/.test(text)) return true;
  return hasListeners(trx, { type, id: item.id, projectId: item.project_id, actorId });
}

/** Whether e-mails are enabled for a project and the groups above it. */
export async function allowsMail(db: Reader, project: Project): Promise<boolean> {
  return settingsOf(project).emails_enabled !== false && (await groupAllowsMail(db, project.namespace_id));
}

/** Whether e-mails are enabled for a group and the groups above it. */
export async function groupAllowsMail(db: Reader, id: number): Promise<boolean> {
  const above = await settingsWithAncestors(db, id);
  return above.every(({ settings }) => settings.emails_enabled !== false);
}
