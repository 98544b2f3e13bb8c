import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { ifMissing } from '../../platform/missing.ts';
import { type fields, namedFiles } from '../project-archives/public.ts';
import { ImportFailed } from '../project-imports/public.ts';

/** The used entries of a group archive; all others are ignored. */
export const ofGroup: readonly RegExp[] = [
  /^tree\/groups\/_all\.ndjson$/,
  /^tree\/groups\/\d{1,15}\.json$/,
  /^tree\/groups\/\d{1,15}\/[a-z_]{1,50}\.ndjson$/,
  /^repositories\/\d{1,15}\.wiki\.bundle$/,
  /^uploads\/\d{1,15}\/[0-9a-f]{32}\/[^/]{1,255}$/,
  /^avatars\/\d{1,15}\/[^/]{1,255}$/,
];

const maxTextLength = 1024 * 1024;
/** Maximum number of groups in an archive. */
export const maxGroups = 5000;

async function textIn(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(ifMissing);
  return found && found.size <= maxTextLength ? readFile(path, 'utf8') : undefined;
}

/** IDs of the groups in an unpacked archive, parents before children. */
export async function groupsIn(folder: string): Promise<number[]> {
  const list = await textIn(join(folder, 'tree', 'groups', '_all.ndjson'));
  const numbers = (list ?? '').split('\n').filter((line) => line.trim() !== '');
  if (numbers.length === 0 || !numbers.every((line) => /^\s*[1-9]\d{0,14}\s*$/.test(line))) {
    throw new ImportFailed('the file is not a group export');
  }
  const groups = [...new Set(numbers.map(Number))];
  if (groups.length > maxGroups) throw new ImportFailed(`the file has more than ${maxGroups} groups`);
  return groups;
}

/** Attributes of a group in the archive; undefined if they are missing, unreadable or of another group. */
export async function attributesOf(folder: string, sourceId: number): Promise<fields.Fields | undefined> {
  try {
    const value: unknown = JSON.parse((await textIn(join(folder, 'tree', 'groups', `${sourceId}.json`))) ?? '');
    return isRecord(value) && value.id === sourceId ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const relationFile = (folder: string, sourceId: number, relation: string) =>
  join(folder, 'tree', 'groups', `${sourceId}`, `${relation}.ndjson`);

export const wikiFile = (folder: string, sourceId: number) => join(folder, 'repositories', `${sourceId}.wiki.bundle`);

export const uploadsFolder = (folder: string, sourceId: number) => join(folder, 'uploads', `${sourceId}`);

/** The avatar of a group with its file name. */
export async function avatarFile(
  folder: string,
  sourceId: number,
): Promise<{ path: string; filename: string; size: number } | undefined> {
  for await (const { path, filename } of namedFiles(join(folder, 'avatars', `${sourceId}`))) {
    return { path, filename, size: (await stat(path)).size };
  }
  return undefined;
}
