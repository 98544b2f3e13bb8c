import type { Repository } from './command.ts';
import { gitLines } from './output.ts';
import { decodeText } from './text.ts';
import { type EntryType, entryType } from './tree.ts';

/** An entry of a listing, with its path from the root of the repository. */
export interface ListedEntry {
  readonly mode: string;
  readonly type: EntryType;
  readonly oid: string;
  readonly path: string;
}

const TAB = 9;

/** Every entry below a tree at any depth, folders before what is in them, as git comes upon them. */
export async function* entriesBelow(
  repo: Repository,
  tree: string,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedEntry, void> {
  const command = { name: 'ls-tree', flags: ['-r', '-t', '-z', '--full-tree'], args: [tree] } as const;
  for await (const line of gitLines(repo, command, signal ? { signal } : {}, 0)) {
    const tab = line.indexOf(TAB);
    const [mode = '', , oid = ''] = line.toString('latin1', 0, tab).split(' ');
    yield { mode, type: entryType({ mode }), oid, path: prefix + decodeText(line.subarray(tab + 1)) };
  }
}
