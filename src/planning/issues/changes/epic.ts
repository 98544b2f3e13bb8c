import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { IssueChangeParams } from '../schema.ts';
import type { IssueRow } from '../tables.ts';

/** Which epic an issue is to be in: by its number, or by that within the group; null for none. */
export type WantedEpic = Pick<IssueChangeParams, 'epic_id' | 'epic_iid'>;

/** Puts an issue into an epic, or takes it out; refuses what the caller may not, and says whether anything changed. */
export type EpicAssignment = (
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issue: IssueRow,
  wanted: WantedEpic,
) => Promise<boolean>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'issues.setEpic': EpicAssignment;
  }
}

/** Does so where the caller said anything about epics. */
export async function assignEpic(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issue: IssueRow,
  { epic_id, epic_iid }: WantedEpic,
): Promise<boolean> {
  if (epic_id === undefined && epic_iid === undefined) return false;
  const wanted = { ...(epic_id === undefined ? {} : { epic_id }), ...(epic_iid === undefined ? {} : { epic_iid }) };
  let changed = false;
  for (const assign of services.contributions('issues.setEpic')) {
    changed = (await assign(services, trx, caller, subject, issue, wanted)) || changed;
  }
  return changed;
}
