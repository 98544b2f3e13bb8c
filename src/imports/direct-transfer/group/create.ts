import { Visibility, type VisibilityName, visibilityNames } from '../../../access/roles.ts';
import { groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { createGroup } from '../../../namespaces/groups/public.ts';
import { fault } from '../../../platform/faults.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { askFor } from '../../content/public.ts';
import { ImportEnded, ImportFailed } from '../../project-imports/public.ts';
import { destinationOf } from '../present.ts';
import { placeOf, sourceGroup } from '../source.ts';
import * as store from '../store.ts';
import type { TransferRun } from '../transfer-run.ts';

/** Makes the group, as whoever asked for it would. */
export async function beginGroup(run: TransferRun): Promise<void> {
  const { services, entity } = run;
  if (entity.namespace_id !== null) return;
  const actor = await run.actor();
  const parent = await parentOf(run);
  const place = placeOf('group', entity.source_full_path);
  const { body: source } = await askFor(run, run.client, place, sourceGroup);
  if (run.cursor('making') === undefined) await run.advance('making', String(Date.now()));
  const wanted = {
    name: source.name,
    path: entity.destination_slug,
    description: source.description ?? '',
    visibility: visibilityFor(source.visibility, parent),
    ...(parent ? { parent_id: parent.id } : {}),
  };
  const id = await createGroup(services, actor, wanted).then(
    (made) => made.id,
    async (error: unknown) => {
      const made = error instanceof HttpError && error.status === 400 ? await madeBefore(run) : undefined;
      if (!made) throw error;
      return made.id;
    },
  );
  fault('transfer.made');
  await services.db.write(async (trx) => {
    if (!(await store.updateEntity(trx, entity.id, { namespace_id: id }))) throw new ImportEnded('it is over');
  });
}

async function parentOf({ services, entity }: TransferRun): Promise<Namespace | undefined> {
  const { read } = services.db;
  const above = entity.parent_id === null ? undefined : await store.findEntity(read, entity.parent_id);
  const named = above ? String(above.namespace_id) : entity.destination_namespace;
  if (named === '') return undefined;
  const parent = await lookUpNamespace(read, named);
  if (parent?.kind !== 'group') throw new ImportFailed(`The group '${entity.destination_namespace}' is not there.`);
  return parent;
}

/** The group that an attempt before this one made, and did not live to note. */
async function madeBefore(run: TransferRun): Promise<Namespace | undefined> {
  const { services, entity } = run;
  const { read } = services.db;
  const found = await lookUpNamespace(read, destinationOf(entity));
  if (found?.kind !== 'group' || found.created_at < Number(run.cursor('making'))) return undefined;
  const subject = await groupSubject(read, await run.actor(), found);
  return subject.can('admin_group') && !(await store.isBrought(read, found.id)) ? found : undefined;
}

/** As it was there, or as much of it as the group around allows. */
function visibilityFor(sent: unknown, parent: Namespace | undefined): VisibilityName {
  const named = visibilityNames.find((name) => name === sent) ?? 'private';
  const most = Math.min(Visibility[named], parent?.visibility ?? Visibility.public);
  return visibilityNames.findLast((name) => Visibility[name] <= most) ?? 'private';
}
