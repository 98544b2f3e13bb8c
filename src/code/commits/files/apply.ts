import { Pace } from '../../../platform/concurrency.ts';
import type { ObjectWriter } from '../../../platform/git/objects/writer.ts';
import { type PathEntry, TreeEditError, type TreeEditor } from '../../../platform/git/trees/edit.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import type { FileAction } from './actions.ts';
import { contentBytes, decodingErrorToBadRequest } from './content.ts';
import { indexPath } from './index-path.ts';
import type { LargeFiles } from './large-files.ts';

/** An action with validated paths, whose content has been written as a blob. */
export interface PreparedAction extends FileAction {
  readonly blob: string | undefined;
}

const texts = {
  exists: 'A file with this name already exists',
  missing: "A file with this name doesn't exist",
  'parent-is-a-file': 'A directory with this name already exists',
  'is-a-directory': 'A directory with this name already exists',
} as const;

const submodule = '160000';

function validPath(rawPath: string): string {
  const checked = indexPath(rawPath);
  if ('problem' in checked) throw BadRequest.plain(checked.problem);
  return checked.path;
}

/** Validates the paths of actions and writes their contents as blobs. */
export async function prepareActions(
  actions: readonly FileAction[],
  writer: ObjectWriter,
  largeFiles: LargeFiles,
): Promise<PreparedAction[]> {
  const prepared: PreparedAction[] = [];
  const pace = new Pace();
  for (const action of actions) {
    await pace.turn();
    const path = validPath(action.path);
    const previousPath = action.previousPath === undefined ? undefined : validPath(action.previousPath);
    prepared.push({ ...action, path, previousPath, blob: await writeContent(action, path, writer, largeFiles) });
  }
  return prepared;
}

async function writeContent(
  { content, lfs }: FileAction,
  path: string,
  writer: ObjectWriter,
  largeFiles: LargeFiles,
): Promise<string | undefined> {
  if (!content) return undefined;
  const sent = contentBytes(content);
  try {
    const bytes = lfs ? await largeFiles.replace(path, sent) : sent;
    if (Buffer.isBuffer(bytes)) return await writer.add('blob', bytes);
    return (await writer.addBlobStream(bytes.open())).oid;
  } catch (error) {
    throw decodingErrorToBadRequest(error);
  }
}

/** Applies the actions in order, each on the result of the previous ones. Stops at the first failure. */
export async function applyActions(editor: TreeEditor, actions: readonly PreparedAction[]): Promise<void> {
  const pace = new Pace();
  for (const action of actions) {
    await pace.turn();
    try {
      await apply(editor, action);
    } catch (error) {
      if (error instanceof TreeEditError) throw BadRequest.plain(texts[error.problem]);
      throw error;
    }
  }
}

async function apply(editor: TreeEditor, action: PreparedAction): Promise<void> {
  const { path, blob = '' } = action;
  switch (action.action) {
    case 'create':
      return editor.create(path, { mode: action.executable ? '100755' : '100644', oid: blob });
    case 'update':
      return editor.replace(path, { mode: (await existing(editor, path, true)).mode, oid: blob });
    case 'move':
      return move(editor, action);
    case 'delete':
      await existing(editor, path, false);
      await editor.remove(path);
      return;
    case 'chmod':
      return chmod(editor, path, action.executable === true);
    case 'submodule':
      return pointSubmodule(editor, path, action.pointsTo ?? '');
  }
}

async function move(editor: TreeEditor, { path, previousPath = '', blob }: PreparedAction): Promise<void> {
  const entry = await existing(editor, previousPath, blob !== undefined);
  if (await editor.file(path)) throw new TreeEditError('exists', path);
  await editor.remove(previousPath);
  await editor.create(path, blob === undefined ? entry : { mode: entry.mode, oid: blob });
}

async function chmod(editor: TreeEditor, path: string, executable: boolean): Promise<void> {
  const { mode, oid } = await existing(editor, path, true);
  const changed = executable ? '100755' : mode === '100755' ? '100644' : mode;
  if (changed !== mode) await editor.replace(path, { mode: changed, oid });
}

async function pointSubmodule(editor: TreeEditor, path: string, commit: string): Promise<void> {
  const entry = await editor.file(path);
  if (entry?.mode !== submodule) throw BadRequest.plain('Invalid submodule path');
  if (entry.oid === commit) throw BadRequest.plain(`The submodule ${path} is already at ${commit}`);
  await editor.replace(path, { mode: submodule, oid: commit });
}

/** Returns the entry of a path. Throws for folders, and for submodules if `asFile` is set. */
async function existing(editor: TreeEditor, path: string, asFile: boolean): Promise<PathEntry> {
  const entry = await editor.file(path);
  if (!entry || (asFile && entry.mode === submodule)) throw new TreeEditError('missing', path);
  return entry;
}
