import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { IssueChangeParams } from '../schema.ts';
import type { IssueRow } from '../tables.ts';

/**
 * The epic requested for an issue, by its global ID or by its IID within the group; null removes the issue from its
 * epic.
 */
export type RequestedEpic = Pick<IssueChangeParams, 'epic_id' | 'epic_iid'>;

/**
 * Assigns an issue to an epic or removes it from one. Throws if the caller may not do so; returns whether anything
 * changed.
 */
export type EpicAssignment = (
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issue: IssueRow,
  requested: RequestedEpic,
) => Promise<boolean>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'issues.setEpic': EpicAssignment;
  }
}

/** Applies the requested epic, if the caller sent one. */
export async function assignEpic(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issue: IssueRow,
  { epic_id, epic_iid }: RequestedEpic,
): Promise<boolean> {
  if (epic_id === undefined && epic_iid === undefined) return false;
  const requested = { ...(epic_id === undefined ? {} : { epic_id }), ...(epic_iid === undefined ? {} : { epic_iid }) };
  let changed = false;
  for (const assign of services.contributions('issues.setEpic')) {
    changed = (await assign(services, trx, caller, subject, issue, requested)) || changed;
  }
  return changed;
}
