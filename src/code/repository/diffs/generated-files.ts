import { generatedFiles } from '../../../platform/git/diff/generated.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';

// Larger `.gitattributes` files are ignored.
const MAX_ATTRIBUTES = 256 * 1024;

/** Returns a predicate for generated files, based on the `.gitattributes` of a commit and on file names. */
export async function generatedIn(objects: Objects, commit: string): Promise<ReturnType<typeof generatedFiles>> {
  const found = await objects.commit(commit);
  return generatedFiles(async (path) => {
    const entry = found && (await objects.entryAt(found.tree, path));
    if (!entry) return undefined;
    const info = await objects.info(entry.oid);
    if (info.status !== 'found' || info.type !== 'blob' || info.size > MAX_ATTRIBUTES) return undefined;
    return (await objects.blob(entry.oid)) ?? undefined;
  });
}
