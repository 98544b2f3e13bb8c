import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Visibility, type VisibilityName, visibilityNames } from '../../access/roles.ts';
import { groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { createGroup, settingsOfGroup, updateGroup } from '../../namespaces/groups/public.ts';
import { ensureWiki, wikiBranch } from '../../planning/wikis/public.ts';
import { fault } from '../../platform/faults.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { ifMissing } from '../../platform/missing.ts';
import {
  importBadges,
  importBoards,
  importEpics,
  importedSettings,
  importLabels,
  importMembers,
  importMilestones,
  importUploads,
  placeEpics,
} from '../group-relations/public.ts';
import { fetchBundle, fields } from '../project-archives/public.ts';
import { ImportFailed } from '../project-imports/public.ts';
import type { FileRun } from './file-run.ts';
import { attributesOf, avatarFile, wikiFile } from './files.ts';
import * as store from './store.ts';

/** A stage for one group. Restarted from the beginning after a crash, it continues at its cursors. */
interface FileStage {
  readonly name: string;
  run(run: FileRun): Promise<void>;
}

export const fileStages: readonly FileStage[] = [
  { name: 'uploads', run: importUploads },
  { name: 'labels', run: importLabels },
  { name: 'milestones', run: importMilestones },
  { name: 'badges', run: importBadges },
  { name: 'boards', run: importBoards },
  { name: 'epics', run: importEpics },
  { name: 'epic_parents', run: placeEpics },
  { name: 'members', run: importMembers },
  { name: 'wiki', run: importWiki },
  { name: 'settings', run: importSettings },
];

/** Creates a descendant group on behalf of the requesting user. Returns false if it cannot be created. */
export async function createGroupOf(run: FileRun): Promise<boolean> {
  const { services, importId, sourceId } = run;
  // It was created and has been deleted since.
  if (run.cursor('made') !== undefined) return false;
  try {
    const { attributes, parent } = await placeFor(run);
    if (run.cursor('making') === undefined) await run.advance('making', String(Date.now()));
    const path = fields.textOf(attributes.path) ?? '';
    const attributesOfGroup = {
      name: fields.textOf(attributes.name) ?? path,
      path,
      parent_id: parent.id,
      visibility: visibilityFor(attributes.visibility_level, parent),
    };
    const id = await createGroup(services, await run.actor(), attributesOfGroup).then(
      (made) => made.id,
      async (error: unknown) => {
        const made = error instanceof HttpError ? await createdEarlier(run, `${parent.full_path}/${path}`) : undefined;
        if (!made) throw error;
        return made.id;
      },
    );
    fault('group-import.made');
    await run.advance('made', String(id), (trx) => store.noteGroup(trx, importId, sourceId, id));
    return true;
  } catch (error) {
    if (!(error instanceof HttpError || error instanceof ImportFailed)) throw error;
    await run.fail('group', 'itself', error);
    return false;
  }
}

/** Attributes and parent of a group. The parent must have been created by the same import. */
async function placeFor({ services, importId, folder, sourceId }: FileRun) {
  const attributes = await attributesOf(folder, sourceId);
  if (!attributes) throw new ImportFailed('its attributes are missing or invalid');
  const { read } = services.db;
  const above = fields.numberOf(attributes.parent_id);
  const id = above === null ? undefined : await store.groupOf(read, importId, above);
  const parent = id === undefined ? undefined : await lookUpNamespace(read, String(id));
  if (!parent) throw new ImportFailed('its parent group was not imported');
  return { attributes, parent };
}

/** The group created by an earlier attempt that crashed before recording it. */
async function createdEarlier(run: FileRun, fullPath: string): Promise<Namespace | undefined> {
  const { read } = run.services.db;
  const found = await lookUpNamespace(read, fullPath);
  if (found?.kind !== 'group' || found.created_at < Number(run.cursor('making'))) return undefined;
  const subject = await groupSubject(read, await run.actor(), found);
  return subject.can('admin_group') && !(await store.isImported(read, found.id)) ? found : undefined;
}

/** The original visibility, limited by that of the parent group. */
function visibilityFor(sent: unknown, parent: Namespace): VisibilityName {
  const level = Math.min(typeof sent === 'number' ? sent : Visibility.private, parent.visibility);
  return visibilityNames.findLast((name) => Visibility[name] <= level) ?? 'private';
}

async function importWiki(run: FileRun): Promise<void> {
  const { services, folder, sourceId } = run;
  const bundle = wikiFile(folder, sourceId);
  if (!(await stat(bundle).catch(ifMissing))) return;
  const { id } = await run.group();
  const repo = await ensureWiki(services, { project_id: null, namespace_id: id });
  try {
    // Wikis here use a single branch, whatever its name was.
    await fetchBundle(run, repo, bundle, [`+HEAD:refs/heads/${wikiBranch}`]);
  } catch (error) {
    if (!(error instanceof ImportFailed)) throw error;
    await run.fail('wiki', 'bundle', error);
  }
}

type Change = Omit<Parameters<typeof updateGroup>[3], 'id'>;

/**
 * Imports description, avatar and settings the requesting user may set. Runs last, because settings can lock the group.
 */
async function importSettings(run: FileRun): Promise<void> {
  const changes = await changesIn(run);
  const refusal = await change(run, Object.assign({}, ...changes.values()));
  if (refusal === undefined) return;
  // Retried individually, so that one rejected setting does not affect the others.
  for (const [name, one] of changes) {
    const refused = await change(run, one);
    if (refused !== undefined) await run.fail('settings', name, refused);
  }
}

async function changesIn(run: FileRun): Promise<ReadonlyMap<string, Change>> {
  const { folder, sourceId } = run;
  const attributes = (await attributesOf(folder, sourceId)) ?? {};
  const changes = new Map<string, Change>([
    ['description', { description: fields.textOf(attributes.description) ?? '' }],
  ]);
  const picture = await avatarFile(folder, sourceId);
  if (picture) {
    const { filename, path, size } = picture;
    changes.set('avatar', { avatar: new UploadedFile(filename, 'application/octet-stream', path, size) });
  }
  const present: Readonly<Record<string, unknown>> = settingsOfGroup(await run.group());
  for (const [name, value] of Object.entries(importedSettings(attributes))) {
    if (!isDeepStrictEqual(value, present[name])) changes.set(name, { [name]: value } as Change);
  }
  return changes;
}

/** Updates the group. Returns the error if it is rejected. */
async function change(run: FileRun, changes: Change): Promise<HttpError | undefined> {
  const { services } = run;
  const group = await run.group();
  const actor = await run.actor();
  const subject = await groupSubject(services.db.read, actor, group);
  try {
    await updateGroup(services, actor, subject, { id: String(group.id), ...changes });
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}
