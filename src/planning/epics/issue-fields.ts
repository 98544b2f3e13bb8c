import type { IssueAddition } from '../issues/public.ts';
import { epicsById, groupPaths } from './store.ts';

/** The epic of each issue. A confidential one shows on confidential issues alone, whose readers may know of it. */
export const epicFields: IssueAddition = async ({ db }, issues) => {
  const epics = await epicsById(
    db.read,
    issues.map(({ epic_id }) => epic_id),
  );
  if (epics.size === 0) return new Map();
  const paths = await groupPaths(
    db.read,
    [...epics.values()].map(({ namespace_id }) => namespace_id),
  );
  return new Map(
    issues.flatMap(({ id, epic_id, confidential }) => {
      const epic = epic_id === null ? undefined : epics.get(epic_id);
      if (!epic || (epic.confidential === 1 && confidential === 0)) return [];
      const url = `/groups/${paths.get(epic.namespace_id)}/-/epics/${epic.iid}`;
      const shown = { id: epic.id, iid: epic.iid, title: epic.title, url, group_id: epic.namespace_id };
      return [[id, { epic: shown, epic_iid: epic.iid }] as const];
    }),
  );
};
