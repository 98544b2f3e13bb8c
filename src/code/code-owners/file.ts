import type { Objects } from '../../platform/git/objects/objects.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { changedPaths } from '../../platform/git/trees/changed-paths.ts';
import { type OwnedPart, ownedParts } from './match.ts';
import { parseCodeOwners, type Section } from './parse.ts';

/** Possible paths of the file; the first existing one is used. */
const paths = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

// Larger files are ignored.
const maxSize = 1024 * 1024;

/** The parsed CODEOWNERS file of a commit. */
export interface CodeOwners {
  readonly oid: string;
  readonly sections: readonly Section[];
}

/** Reads the CODEOWNERS file of a commit; undefined if there is none. */
export async function codeOwnersAt(objects: Objects, commit: string): Promise<CodeOwners | undefined> {
  const tree = (await objects.commit(commit))?.tree;
  if (tree === undefined) return undefined;
  for (const path of paths) {
    const entry = await objects.entryAt(tree, path);
    if (!entry) continue;
    const info = await objects.info(entry.oid);
    if (info.status !== 'found' || info.type !== 'blob' || info.size > maxSize) continue;
    const size = () => info.size * 4;
    const sections = await objects.derived('code-owners', entry.oid, size, async () =>
      parseCodeOwners(decodeText((await objects.blob(entry.oid)) ?? Buffer.alloc(0))),
    );
    return { oid: entry.oid, sections };
  }
  return undefined;
}

/** Returns the entries that apply to the paths changed between two commits; cached. */
export function codeOwnersOfChanges(
  objects: Objects,
  { oid, sections }: CodeOwners,
  from: string,
  to: string,
): Promise<readonly OwnedPart[]> {
  const size = (parts: readonly OwnedPart[]) => 100 + parts.length * 200;
  return objects.derived('owned-parts', `${oid} ${from} ${to}`, size, () =>
    ownedParts(sections, changedPaths(objects.repo, from, to)),
  );
}
