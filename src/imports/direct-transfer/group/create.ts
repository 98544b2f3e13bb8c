import { Visibility, type VisibilityName, visibilityNames } from '../../../access/roles.ts';
import { groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { createGroup } from '../../../namespaces/groups/public.ts';
import { fault } from '../../../platform/faults.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { requestOrFail } from '../../content/public.ts';
import { ImportEnded, ImportFailed } from '../../project-imports/public.ts';
import { destinationOf } from '../present.ts';
import { apiPathOf, sourceGroup } from '../source.ts';
import * as store from '../store.ts';
import type { TransferRun } from '../transfer-run.ts';

/** Creates the group on behalf of the user who requested it. */
export async function beginGroup(run: TransferRun): Promise<void> {
  const { services, entity } = run;
  if (entity.namespace_id !== null) return;
  const actor = await run.actor();
  const parent = await parentOf(run);
  const place = apiPathOf('group', entity.source_full_path);
  const { body: source } = await requestOrFail(run, run.client, place, sourceGroup);
  if (run.cursor('making') === undefined) await run.advance('making', String(Date.now()));
  const params = {
    name: source.name,
    path: entity.destination_slug,
    description: source.description ?? '',
    visibility: visibilityFor(source.visibility, parent),
    ...(parent ? { parent_id: parent.id } : {}),
  };
  const id = await createGroup(services, actor, params).then(
    (made) => made.id,
    async (error: unknown) => {
      const made = error instanceof HttpError && error.status === 400 ? await createdEarlier(run) : undefined;
      if (!made) throw error;
      return made.id;
    },
  );
  fault('transfer.made');
  await services.db.write(async (trx) => {
    if (!(await store.updateEntity(trx, entity.id, { namespace_id: id })))
      throw new ImportEnded('the import has ended');
  });
}

async function parentOf({ services, entity }: TransferRun): Promise<Namespace | undefined> {
  const { read } = services.db;
  const above = entity.parent_id === null ? undefined : await store.findEntity(read, entity.parent_id);
  const named = above ? String(above.namespace_id) : entity.destination_namespace;
  if (named === '') return undefined;
  const parent = await lookUpNamespace(read, named);
  if (parent?.kind !== 'group') throw new ImportFailed(`The group '${entity.destination_namespace}' does not exist.`);
  return parent;
}

/** The group created by an earlier attempt that crashed before recording it. */
async function createdEarlier(run: TransferRun): Promise<Namespace | undefined> {
  const { services, entity } = run;
  const { read } = services.db;
  const found = await lookUpNamespace(read, destinationOf(entity));
  if (found?.kind !== 'group' || found.created_at < Number(run.cursor('making'))) return undefined;
  const subject = await groupSubject(read, await run.actor(), found);
  return subject.can('admin_group') && !(await store.isMigrated(read, found.id)) ? found : undefined;
}

/** The original visibility, limited by that of the parent group. */
function visibilityFor(sent: unknown, parent: Namespace | undefined): VisibilityName {
  const named = visibilityNames.find((name) => name === sent) ?? 'private';
  const most = Math.min(Visibility[named], parent?.visibility ?? Visibility.public);
  return visibilityNames.findLast((name) => Visibility[name] <= most) ?? 'private';
}
