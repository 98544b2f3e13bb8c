import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { mergeCommandChanges } from '../../../planning/issues/public.ts';
import { readCommands, type UnderstoodText } from '../../../planning/quick-actions/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { setRequired } from '../approvals/required.ts';
import { changeOf, executeSideEffects } from '../commands/execute.ts';
import { commandableRequest } from '../commands/target.ts';
import { presentDetail } from '../detail.ts';
import type { DetailEntity, RequestChangeParams } from '../schema.ts';
import { type RequestState, requireRequest } from '../service.ts';
import { changeRequest } from './update.ts';

/** Updates a merge request. Attributes that the caller may not change are ignored. */
export async function updateMergeRequest(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  sent: RequestChangeParams,
): Promise<DetailEntity> {
  const state = await requireRequest(services, subject, iid);
  const { request, reviewerIds } = state;
  const text = await commandsIn(services, caller, subject, state, sent.description);
  const rules = sent.approval_rules_attributes;
  const setRules = rules && ((trx: Writer) => setRequired(services, trx, subject, request, rules));
  if (!text) {
    const changed = await changeRequest(services, caller, subject, request, sent, setRules);
    return presentDetail(services, caller, subject, changed);
  }
  const title = sent.title ?? request.title;
  const commanded = await changeOf(services.db.read, { title, reviewerIds }, text.changes);
  const params = mergeCommandChanges<RequestChangeParams>({ ...sent, description: text.body }, commanded);
  const after = await changeRequest(services, caller, subject, request, params, async (trx) => {
    await setRules?.(trx);
    await executeSideEffects(services, trx, caller, request, reviewerIds, text.changes);
  });
  return presentDetail(services, caller, subject, after);
}

/** Parses the quick actions of a new description. */
async function commandsIn(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  description: string | null | undefined,
): Promise<UnderstoodText | undefined> {
  if (!description) return undefined;
  const may = { comment: subject.can('create_note'), sawHead: true };
  const text = await readCommands(description, commandableRequest(services, caller, subject, state, may));
  return text.body === description ? undefined : text;
}
