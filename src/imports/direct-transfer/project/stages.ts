import { findUser } from '../../../access/credentials/identify.ts';
import { directMember, insertMember } from '../../../namespaces/members/public.ts';
import { EgressRefused, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { importRepository, importWiki } from '../../content/public.ts';
import { grantedRole } from '../../group-relations/public.ts';
import { HostError } from '../../host-client/public.ts';
import {
  archiveStages,
  contextOf,
  fields,
  importerOf,
  readRelations,
  relationKey,
} from '../../project-archives/public.ts';
import { ImportFailed, type ImportRun, type ImportSource } from '../../project-imports/public.ts';
import { awaitExport, downloadLimits } from '../exports.ts';
import { sourceClient } from '../source.ts';
import { migrationType, type TransferOptions } from './options.ts';

/** Imports a project from another server, from exported relations instead of a single archive. */
export const transferSource: ImportSource = {
  type: migrationType,
  stages: [
    { name: 'relations', run: fetchRelations },
    ...archiveStages.flatMap((stage) => [
      stage,
      ...(stage.name === 'repository' ? [{ name: 'repository_by_git', run: cloneRepository }] : []),
      ...(stage.name === 'wiki' ? [{ name: 'wiki_by_git', run: cloneWiki }] : []),
    ]),
    { name: 'members', run: importMembers },
  ],
};

/** Downloads every supported relation. Relations that are unavailable are recorded as failures. */
async function fetchRelations(run: ImportRun): Promise<void> {
  const options = run.options<TransferOptions>();
  const client = sourceClient(run.services, options);
  const place = `/projects/${options.sourceId}`;
  const exported = await awaitExport(run, client, place, readRelations);
  for (const relation of readRelations) {
    if (run.cursor(relation) !== undefined) continue;
    if (exported.get(relation))
      await fetchRelation(run, `${place}/export_relations/download?relation=${relation}`, relation);
    else if (relation === 'self') throw new ImportFailed('The source server failed to export the project attributes');
    // Each server exports only the relations that its version knows.
    else if (exported.has(relation))
      await run.fail(relation, 'file', new Error('The source server failed to export the relation'));
    await run.advance(relation, 'done');
  }
}

async function fetchRelation(run: ImportRun, place: string, relation: string): Promise<void> {
  const { services, project, signal } = run;
  const { bulk_import_max_download_file_size: most } = await services.settings.read();
  try {
    const client = sourceClient(services, run.options<TransferOptions>());
    const body = await client.download(place, { ...downloadLimits(most), signal });
    await services.storage.put(relationKey(project.id, relation), body);
  } catch (error) {
    const isMissing = error instanceof HostError && error.status === 404;
    const final = isMissing || error instanceof EgressRefused || error instanceof ResponseTooLarge;
    if (!final) throw error;
    if (relation === 'self') throw new ImportFailed(`The project could not be fetched: ${error.message}`);
    await run.fail(relation, 'file', error);
  }
}

const remoteOf = ({ url, fullPath, token }: TransferOptions) => ({
  base: `${url}/${fullPath}`,
  secrets: { username: 'oauth2', password: token },
});

/** Fetches the repository with Git if it was not exported as a file. */
async function cloneRepository(run: ImportRun): Promise<void> {
  if (await run.services.storage.stat(relationKey(run.project.id, 'repository'))) return;
  const { base, secrets } = remoteOf(run.options<TransferOptions>());
  await importRepository(run, { url: `${base}.git`, secrets });
}

/** Wikis are not an exported relation, so they are always fetched with Git. */
async function cloneWiki(run: ImportRun): Promise<void> {
  const { base, secrets } = remoteOf(run.options<TransferOptions>());
  await importWiki(run, `${base}.wiki.git`, secrets);
}

/** Imports memberships. Users without an account here are only recorded. */
async function importMembers(run: ImportRun): Promise<void> {
  if (!run.options<TransferOptions>().members) return;
  const { every, person } = await contextOf(run);
  const { subject } = await importerOf(run);
  await every('project_members', async ({ user_id, access_level }, line) => {
    const number = fields.numberOf(user_id);
    const level = grantedRole(access_level, subject.levels.highest);
    if (number === null || level === undefined) return;
    const user = await findUser(run.services.db.read, await person(number));
    await run.once('member', line, async (trx) => {
      if (user?.kind !== 'human' || (await directMember(trx, subject, user.id))) return null;
      const owner = { project_id: run.project.id, namespace_id: null };
      const row = { user_id: user.id, access_level: level, expires_at: null, created_by_id: run.userId };
      return (await insertMember(trx, owner, row)).id;
    });
  });
}
