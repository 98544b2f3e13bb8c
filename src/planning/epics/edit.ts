import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { checkDescription, checkTitle, mergeCommandChanges } from '../issues/public.ts';
import { readCommands } from '../quick-actions/public.ts';
import { commandableEpic, commandableNew, epicChangeFromCommands, executeSideEffects } from './commands.ts';
import type { EpicChangeParams, EpicEntity, NewEpicParams } from './schema.ts';
import { presentEpic, readableEpic } from './service.ts';
import { epicsById } from './store.ts';
import { addEpic, changeEpic } from './write.ts';

/** Creates an epic. Quick actions in the description are executed and removed from it. */
export async function createEpic(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  sent: NewEpicParams,
): Promise<EpicEntity> {
  checkTitle(sent.title);
  const text = sent.description
    ? await readCommands(checkDescription(sent.description) ?? '', commandableNew(services, caller, subject))
    : undefined;
  const epic = await services.db.write(async (trx) => {
    if (!text) return addEpic(services, trx, caller, subject, sent);
    const {
      add_labels = [],
      confidential,
      labels = sent.labels,
      parent_id,
    } = await epicChangeFromCommands(trx, text.changes);
    return addEpic(services, trx, caller, subject, {
      ...sent,
      description: text.body,
      labels: [...(labels ?? []), ...add_labels],
      ...(confidential !== undefined && { confidential }),
      ...(parent_id !== undefined && { parent_id }),
    });
  });
  return presentEpic(services, caller, epic);
}

/** Updates an epic, including the quick actions in a new description. */
export async function updateEpic(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  params: EpicChangeParams,
): Promise<EpicEntity> {
  const found = await readableEpic(services, subject, iid);
  if (!subject.can('admin_epic')) throw new Forbidden();
  const { id } = found;
  const text = params.description
    ? await readCommands(checkDescription(params.description) ?? '', commandableEpic(services, caller, subject, found))
    : undefined;
  const after = await services.db.write(async (trx) => {
    if (!text) return changeEpic(services, trx, caller, subject, id, params);
    const change = mergeCommandChanges(
      { ...params, description: text.body },
      await epicChangeFromCommands(trx, text.changes),
    );
    const changed = await changeEpic(services, trx, caller, subject, id, change);
    await executeSideEffects(services, trx, caller, changed, text.changes);
    return (await epicsById(trx, [id])).get(id) ?? changed;
  });
  return presentEpic(services, caller, after);
}
