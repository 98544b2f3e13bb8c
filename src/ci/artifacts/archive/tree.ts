import { trimTrailing } from '../../../platform/trim.ts';
import type { MetadataEntry } from './metadata.ts';

export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  readonly type: 'file' | 'directory';
  readonly size?: number;
  readonly mode: string;
}

const defaultModes = { file: 0o644, directory: 0o755 };

function entryOf({ path, size, mode }: MetadataEntry): TreeEntry {
  const folder = path.endsWith('/');
  const name = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  const bits = (mode ?? (folder ? defaultModes.directory : defaultModes.file)) & 0o777;
  const kind = folder ? 0o040000 : 0o100000;
  const text = (kind | bits).toString(8).padStart(6, '0');
  return folder ? { name, path, type: 'directory', mode: text } : { name, path, type: 'file', size, mode: text };
}

/**
 * Lists a folder of an archive: subfolders first, then files. With `recursive`, lists everything below it in stored
 * order. Undefined when there is no such folder.
 */
export async function treeOf(
  entries: AsyncIterable<MetadataEntry>,
  folder: string,
  recursive: boolean,
): Promise<TreeEntry[] | undefined> {
  const trimmed = trimTrailing(folder, '/').replace(/^\.?\/+/, '');
  const base = trimmed === '' || trimmed === '.' ? '' : `${trimmed}/`;
  let found = base === '';
  const inside: TreeEntry[] = [];
  for await (const entry of entries) {
    if (entry.path === base) found = true;
    if (!entry.path.startsWith(base) || entry.path === base) continue;
    const rest = entry.path.slice(base.length).replace(/\/$/, '');
    if (recursive || !rest.includes('/')) inside.push(entryOf(entry));
  }
  if (!found) return undefined;
  return recursive ? inside : [...inside.filter(isFolder), ...inside.filter((entry) => !isFolder(entry))];
}

const isFolder = ({ type }: TreeEntry) => type === 'directory';
