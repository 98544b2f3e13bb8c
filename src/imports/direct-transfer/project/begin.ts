import { randomBytes } from 'node:crypto';
import { lookUpNamespace, lookUpProject } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { createProject, nameTakenIn } from '../../../namespaces/projects/public.ts';
import { fault } from '../../../platform/faults.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { requestOrFail } from '../../content/public.ts';
import { enqueueImport, findImport, ImportEnded, ImportFailed, mayImportInto } from '../../project-imports/public.ts';
import { apiPathOf, sourceProject } from '../source.ts';
import * as store from '../store.ts';
import type { TransferRun, TransferStage } from '../transfer-run.ts';
import { migrationType, type TransferOptions } from './options.ts';

/** Creates the project and starts its import, which then proceeds by itself and ends the entity. */
export const projectStages: readonly TransferStage[] = [{ name: 'project', run: beginProject }];

async function beginProject(run: TransferRun): Promise<void> {
  const { services, entity, access } = run;
  const actor = await run.actor();
  const target = await targetOf(run);
  if (!(await mayImportInto(services, actor, target)))
    throw new ImportFailed('You are not allowed to import projects into this group.');
  const place = apiPathOf('project', entity.source_full_path);
  const { body: source } = await requestOrFail(run, run.client, place, sourceProject);
  if (run.cursor('making') === undefined) await run.advance('making', String(Date.now()));
  const name = await freeName(run, target.id, source.name);
  const params = { name, path: entity.destination_slug, namespace_id: target.id };
  const project = await createProject(services, actor, { ...params, visibility: 'private' as const }).catch(
    async (error: unknown) => {
      const made = error instanceof Invalid ? await createdEarlier(run, target) : undefined;
      if (!made) throw error;
      return made;
    },
  );
  fault('transfer.made');
  const options: TransferOptions = {
    ...access,
    host: new URL(access.url).host,
    sourceId: source.id,
    fullPath: source.path_with_namespace,
    members: entity.migrate_memberships === 1,
    salt: randomBytes(32).toString('hex'),
    overrides: {},
  };
  await services.db.write(async (trx) => {
    if (!(await store.updateEntity(trx, entity.id, { project_id: project.id })))
      throw new ImportEnded('the import has ended');
    await enqueueImport(services, trx, actor, project.id, {
      type: migrationType,
      source: entity.source_full_path,
      cloneUrl: `${access.url}/${source.path_with_namespace}.git`,
      options: { ...options },
    });
  });
}

/** The original name, with a numeric suffix if the group already has a project with this name. */
async function freeName({ services }: TransferRun, group: number, name: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? name : `${name}_${number}`;
    if (!(await nameTakenIn(services.db.read, group, candidate))) return candidate;
  }
}

/** The project created by an earlier attempt that crashed before recording it. */
async function createdEarlier(run: TransferRun, target: Namespace): Promise<Project | undefined> {
  const { services, entity } = run;
  const { read } = services.db;
  const found = await lookUpProject(read, `${target.full_path}/${entity.destination_slug}`);
  const project = found?.project;
  const since = Number(run.cursor('making'));
  if (!project || project.creator_id !== entity.user_id || project.created_at < since) return undefined;
  return (await findImport(read, project.id)) ? undefined : project;
}

async function targetOf({ services, entity }: TransferRun): Promise<Namespace> {
  const { read } = services.db;
  const parent = entity.parent_id === null ? undefined : await store.findEntity(read, entity.parent_id);
  const named = parent ? String(parent.namespace_id) : entity.destination_namespace;
  const target = await lookUpNamespace(read, named);
  if (target?.kind !== 'group') throw new ImportFailed(`The group '${entity.destination_namespace}' does not exist.`);
  return target;
}
