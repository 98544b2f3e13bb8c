import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { CommandTarget } from '../../quick-actions/public.ts';
import { type LongTexts, readLongTexts } from '../moving/long-texts.ts';
import type { IssueState } from '../service.ts';
import { contextOf } from './context.ts';
import { executeCommands, issueCommands } from './execute.ts';

/** An issue as the target of quick actions. */
export function commandableIssue(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: IssueState,
  may: { readonly comment: boolean },
): CommandTarget {
  let longTexts: LongTexts = new Map();
  return {
    supported: issueCommands,
    context: (wanted) => contextOf(services, writer, subject, state, may, wanted),
    prepare: async ({ promote_to_epic, target_project_id, target_clone_project_id }) => {
      if (!promote_to_epic && target_project_id === undefined && target_clone_project_id === undefined) return;
      longTexts = await readLongTexts(services, state.issue);
    },
    executeCommands: (trx, changes) =>
      executeCommands(services, trx, writer, subject, state.issue.id, changes, longTexts),
  };
}
