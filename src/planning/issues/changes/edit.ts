import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { readCommands, type UnderstoodText } from '../../quick-actions/public.ts';
import { executeSideEffects, issueChangeFromCommands } from '../commands/execute.ts';
import { executeRelations } from '../commands/relations.ts';
import { commandableIssue } from '../commands/target.ts';
import type { IssueChangeParams, IssueEntity } from '../schema.ts';
import { presentIssue, stateOf } from '../service.ts';
import * as store from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { mergeCommandChanges } from './rules.ts';
import { changeIssue, type IssueChange } from './update.ts';

/**
 * Updates an issue. Attributes that the caller may not change are ignored. Quick actions in a new description are
 * executed and removed from it.
 */
export async function updateIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  params: IssueChangeParams,
): Promise<IssueEntity> {
  const found = await store.findIssue(services.db.read, subject.project.id, iid);
  if (!found) throw NotFound.record();
  const text = await commandsIn(services, caller, subject, found, params.description);
  const work = async (trx: Writer) => {
    if (!text) return changeIssue(services, trx, caller, subject, found.id, params);
    const change: IssueChange = mergeCommandChanges<IssueChange>(
      { ...params, description: text.body },
      await issueChangeFromCommands(trx, text.changes),
    );
    await changeIssue(services, trx, caller, subject, found.id, change);
    await executeSideEffects(services, trx, caller, subject, found.id, text.changes);
    await executeRelations(services, trx, caller, subject, found.id, text.changes);
    return stateOf(trx, await store.requireIssue(trx, found.id));
  };
  const after = await services.db.write(work, { together: !text });
  return presentIssue(services, caller, after, { path: subject.fullPath });
}

async function commandsIn(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  issue: IssueRow,
  description: string | null | undefined,
): Promise<UnderstoodText | undefined> {
  if (!description) return undefined;
  const state = await stateOf(services.db.read, issue);
  const may = { comment: subject.can('create_note') };
  const text = await readCommands(description, commandableIssue(services, caller, subject, state, may));
  return text.body === description ? undefined : text;
}
