import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { nextInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { checkDescription, checkTitle, requestedLabels } from '../issues/public.ts';
import { labelsById, labelsToSet } from '../labels/public.ts';
import { addSystemNote, systemTexts } from '../notes/public.ts';
import { recordLabels, recordState } from '../resource-events/public.ts';
import { setSubscription } from '../subscriptions/public.ts';
import { finishTodos } from '../todos/public.ts';
import { checkColor, checkDates, columnChanges, readDates } from './changes.ts';
import { countNonConfidential } from './issues/store.ts';
import { setParent } from './parent.ts';
import type { EpicChangeParams, NewEpicParams } from './schema.ts';
import { recordActivity, targetOf } from './service.ts';
import * as store from './store.ts';
import type { EpicRow } from './tables.ts';

export const defaultColor = '#1068bf';

const maySetTimes = (caller: SignedInActor, subject: GroupSubject) =>
  isAdmin(caller) || subject.levels.highest >= Role.owner;

async function setLabels(
  trx: Writer,
  epic: EpicRow,
  userId: number,
  present: readonly number[],
  wanted: readonly number[],
): Promise<boolean> {
  const added = wanted.filter((id) => !present.includes(id));
  const removed = present.filter((id) => !wanted.includes(id));
  await store.addLabels(trx, epic.id, added);
  await store.removeLabels(trx, epic.id, removed);
  await recordLabels(trx, { target: targetOf(epic), userId }, { added, removed });
  return added.length + removed.length > 0;
}

/** Creates an epic within the caller's transaction; used by promotion too. */
export async function addEpic(
  { announce }: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: GroupSubject,
  params: NewEpicParams,
): Promise<EpicRow> {
  const now = (maySetTimes(caller, subject) ? params.created_at : undefined) ?? Date.now();
  const dates = readDates(params);
  checkDates(dates);
  const namespace_id = subject.group.id;
  const iid = await nextInternalId(trx, { namespace_id }, 'epics');
  const row = {
    iid,
    namespace_id,
    title: checkTitle(params.title),
    description: checkDescription(params.description ?? null),
    color: params.color === undefined ? defaultColor : checkColor(params.color),
    confidential: params.confidential ? 1 : 0,
    author_id: caller.user.id,
    ...dates,
    created_at: now,
    updated_at: now,
  };
  const inserted = await store.insertEpic(trx, row);
  const epic = params.parent_id ? await setParent(trx, caller, inserted, params.parent_id) : inserted;
  const labels = await labelsToSet(trx, subject, params.labels ?? []);
  await setLabels(
    trx,
    epic,
    caller.user.id,
    [],
    labels.map(({ id }) => id),
  );
  await setSubscription(trx, caller.user.id, targetOf(epic), true);
  await recordActivity(trx, epic, caller.user.id, 'created');
  await announce(trx, 'epic.changed', { action: 'open', actorId: caller.user.id, after: epic });
  return epic;
}

function changeNotes(before: EpicRow, after: EpicRow): string[] {
  const notes: string[] = [];
  if (before.title !== after.title) notes.push(systemTexts.titleChanged(before.title, after.title));
  if ((before.description ?? '') !== (after.description ?? '')) notes.push(systemTexts.descriptionChanged);
  if (before.confidential !== after.confidential) {
    notes.push(systemTexts.confidentialChanged(after.confidential === 1, 'epic'));
  }
  return notes;
}

/** Updates an epic within the caller's transaction; used by quick actions too. */
export async function changeEpic(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: GroupSubject,
  id: number,
  params: EpicChangeParams,
): Promise<EpicRow> {
  const before = await lockRow(trx, 'epics', id);
  if (!before) throw NotFound.record();
  const { user } = caller;
  const change = columnChanges(before, params);
  if (change.confidential === 1 && (await countNonConfidential(trx, id)) > 0) {
    throw new Invalid({
      confidential: ['Cannot make the epic confidential if it contains non-confidential issues or child epics'],
    });
  }
  const present = (await store.labelIds(trx, [id])).get(id) ?? [];
  const titles = (await labelsById(trx, present)).map(({ title }) => title);
  const wanted = requestedLabels(titles, params);
  let touched = Object.keys(change).length > 0;
  if (wanted) {
    const labels = await labelsToSet(trx, subject, wanted, present);
    const ids = labels.map((label) => label.id);
    touched = (await setLabels(trx, before, user.id, present, ids)) || touched;
  }
  const event =
    params.state_event === 'close' && before.state === 'opened'
      ? 'close'
      : params.state_event === 'reopen' && before.state === 'closed'
        ? 'reopen'
        : undefined;
  if (event === 'close') Object.assign(change, { state: 'closed', closed_at: Date.now(), closed_by_id: user.id });
  if (event === 'reopen') Object.assign(change, { state: 'opened', closed_at: null, closed_by_id: null });
  if (params.parent_id === null || params.parent_id === 0) Object.assign(change, { parent_id: null });
  else if (params.parent_id !== undefined && params.parent_id !== before.parent_id) {
    await setParent(trx, caller, before, params.parent_id);
    touched = true;
  }
  if (!touched && Object.keys(change).length === 0) return before;
  const now = (maySetTimes(caller, subject) ? params.updated_at : undefined) ?? Date.now();
  const after = await store.updateEpic(trx, id, { ...change, updated_at: now });
  const target = targetOf(after);
  for (const body of changeNotes(before, after)) await addSystemNote(trx, target, user.id, body);
  if (event) {
    await recordState(trx, { target, userId: user.id }, event === 'close' ? 'closed' : 'reopened');
    await recordActivity(trx, after, user.id, event === 'close' ? 'closed' : 'reopened');
  }
  await finishTodos(trx, user.id, target);
  await services.announce(trx, 'epic.changed', { action: event ?? 'update', actorId: user.id, before, after });
  return after;
}
