import type { Objects } from '../../platform/git/objects/objects.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { changedPaths } from '../../platform/git/trees/changed-paths.ts';
import { type OwnedPart, ownedParts } from './match.ts';
import { parseCodeOwners, type Section } from './parse.ts';

/** The first of these that there is counts. */
const places = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

// Whoever needs more than this to say who owns what does not say it to be read.
const largest = 1024 * 1024;

/** A file of code owners as it stands in a commit. */
export interface CodeOwners {
  readonly oid: string;
  readonly sections: readonly Section[];
}

/** The file of code owners of a commit; undefined where there is none. */
export async function codeOwnersAt(objects: Objects, commit: string): Promise<CodeOwners | undefined> {
  const tree = (await objects.commit(commit))?.tree;
  if (tree === undefined) return undefined;
  for (const place of places) {
    const entry = await objects.entryAt(tree, place);
    if (!entry) continue;
    const info = await objects.info(entry.oid);
    if (info.status !== 'found' || info.type !== 'blob' || info.size > largest) continue;
    const size = () => info.size * 4;
    const sections = await objects.derived('code-owners', entry.oid, size, async () =>
      parseCodeOwners(decodeText((await objects.blob(entry.oid)) ?? Buffer.alloc(0))),
    );
    return { oid: entry.oid, sections };
  }
  return undefined;
}

/** What of the file is about the paths in which two commits differ, worked out once. */
export function ownedBetween(
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
