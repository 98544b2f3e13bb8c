import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { CommandTarget } from '../../quick-actions/public.ts';
import type { IssueState } from '../service.ts';
import { carryOut, issueCommands } from './carry-out.ts';
import { contextOf } from './context.ts';

/** An issue that commands are given to. */
export function commandableIssue(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: IssueState,
  may: { readonly comment: boolean },
): CommandTarget {
  return {
    carriesOut: issueCommands,
    context: (wanted) => contextOf(services, writer, subject, state, may, wanted),
    carryOut: (trx, changes) => carryOut(services, trx, writer, subject, state.issue.id, changes),
  };
}
