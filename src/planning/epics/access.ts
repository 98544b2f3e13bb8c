import type { Actor } from '../../access/actor.ts';
import { type GroupSubject, groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { EpicRow } from './tables.ts';

/** Confidential epics are visible to planners and above. */
export function mayRead(subject: GroupSubject, epic: Pick<EpicRow, 'confidential'>): boolean {
  if (!subject.can('read_group') || !subject.can('read_epic')) return false;
  return epic.confidential === 0 || subject.can('read_confidential_epic');
}

/** The group of an epic, as a subject for the given actor. */
export async function groupOfEpic(
  db: Reader,
  actor: Actor,
  { namespace_id }: Pick<EpicRow, 'namespace_id'>,
): Promise<GroupSubject | undefined> {
  const group = await lookUpNamespace(db, String(namespace_id));
  return group && groupSubject(db, actor, group);
}
