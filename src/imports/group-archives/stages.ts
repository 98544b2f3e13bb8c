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
  importLabels,
  importMembers,
  importMilestones,
  importUploads,
  placeEpics,
  settingsTold,
} from '../group-relations/public.ts';
import { fetchBundle, fields } from '../project-archives/public.ts';
import { ImportFailed } from '../project-imports/public.ts';
import type { FileRun } from './file-run.ts';
import { attributesOf, avatarFile, wikiFile } from './files.ts';
import * as store from './store.ts';

/** One step with one group; run again from its beginning after a crash, it goes on where its cursors are. */
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

/** The group below another that one of the file becomes, as whoever asked for it would make it; false where it cannot be. */
export async function makeGroup(run: FileRun): Promise<boolean> {
  const { services, importId, sourceId } = run;
  // Somebody has removed it since.
  if (run.cursor('made') !== undefined) return false;
  try {
    const { attributes, parent } = await placeFor(run);
    if (run.cursor('making') === undefined) await run.advance('making', String(Date.now()));
    const path = fields.textOf(attributes.path) ?? '';
    const wanted = {
      name: fields.textOf(attributes.name) ?? path,
      path,
      parent_id: parent.id,
      visibility: visibilityFor(attributes.visibility_level, parent),
    };
    const id = await createGroup(services, await run.actor(), wanted).then(
      (made) => made.id,
      async (error: unknown) => {
        const made = error instanceof HttpError ? await madeBefore(run, `${parent.full_path}/${path}`) : undefined;
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

/** What the file says of a group, and where it belongs: a file cannot name groups that did not come of it. */
async function placeFor({ services, importId, folder, sourceId }: FileRun) {
  const attributes = await attributesOf(folder, sourceId);
  if (!attributes) throw new ImportFailed('nothing is said of it that can be read');
  const { read } = services.db;
  const above = fields.numberOf(attributes.parent_id);
  const id = above === null ? undefined : await store.groupOf(read, importId, above);
  const parent = id === undefined ? undefined : await lookUpNamespace(read, String(id));
  if (!parent) throw new ImportFailed('the group that it is in is not here');
  return { attributes, parent };
}

/** The group that an attempt before this one made, and did not live to note. */
async function madeBefore(run: FileRun, fullPath: string): Promise<Namespace | undefined> {
  const { read } = run.services.db;
  const found = await lookUpNamespace(read, fullPath);
  if (found?.kind !== 'group' || found.created_at < Number(run.cursor('making'))) return undefined;
  const subject = await groupSubject(read, await run.actor(), found);
  return subject.can('admin_group') && !(await store.isBrought(read, found.id)) ? found : undefined;
}

/** As it was there, or as much of it as the group around allows. */
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
    // Pages are read from one branch, whatever it was called.
    await fetchBundle(run, repo, bundle, [`+HEAD:refs/heads/${wikiBranch}`]);
  } catch (error) {
    if (!(error instanceof ImportFailed)) throw error;
    await run.fail('wiki', 'bundle', error);
  }
}

type Change = Omit<Parameters<typeof updateGroup>[3], 'id'>;

/** Its description, picture and settings, as far as whoever asked for it may set them; the last, for they may shut it. */
async function importSettings(run: FileRun): Promise<void> {
  const changes = await changesIn(run);
  const refusal = await change(run, Object.assign({}, ...changes.values()));
  if (refusal === undefined) return;
  // Each by itself: one that is refused does not keep the others out.
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
  for (const [name, wanted] of Object.entries(settingsTold(attributes))) {
    if (!isDeepStrictEqual(wanted, present[name])) changes.set(name, { [name]: wanted } as Change);
  }
  return changes;
}

/** What it is refused with, if it is. */
async function change(run: FileRun, wanted: Change): Promise<HttpError | undefined> {
  const { services } = run;
  const group = await run.group();
  const actor = await run.actor();
  const subject = await groupSubject(services.db.read, actor, group);
  try {
    await updateGroup(services, actor, subject, { id: String(group.id), ...wanted });
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}
