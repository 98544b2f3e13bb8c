import type { Actor } from '../../access/actor.ts';
import { type GroupSubject, groupSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { IssueAddition } from '../issues/public.ts';
import { mayRead } from './access.ts';
import { epicsById, groupsById } from './store.ts';

/** Loads the groups of epics as seen by the reader; a page of issues has epics of few groups. */
async function groupsFor(
  db: Reader,
  reader: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, GroupSubject>> {
  const groups = await groupsById(db, ids);
  const subjects = await Promise.all(
    groups.map(async (group) => [group.id, await groupSubject(db, reader, group)] as const),
  );
  return new Map(subjects);
}

/**
 * Adds the epic to a page of issues, unless the reader may not see it: its group may be private, or the epic
 * confidential.
 */
export const epicFields: IssueAddition = async ({ db }, issues, reader) => {
  const epics = await epicsById(
    db.read,
    issues.map(({ epic_id }) => epic_id),
  );
  if (epics.size === 0) return new Map();
  const groups = await groupsFor(
    db.read,
    reader,
    [...epics.values()].map(({ namespace_id }) => namespace_id),
  );
  return new Map(
    issues.flatMap(({ id, epic_id }) => {
      const epic = epic_id === null ? undefined : epics.get(epic_id);
      const subject = epic && groups.get(epic.namespace_id);
      if (!subject || !mayRead(subject, epic)) return [];
      const url = `/groups/${subject.group.full_path}/-/epics/${epic.iid}`;
      const shown = { id: epic.id, iid: epic.iid, title: epic.title, url, group_id: epic.namespace_id };
      return [[id, { epic: shown, epic_iid: epic.iid }] as const];
    }),
  );
};
