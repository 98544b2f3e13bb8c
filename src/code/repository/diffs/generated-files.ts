import { generatedFiles } from '../../../platform/git/diff/generated.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';

// A file of attributes that is larger than this is somebody's trick, not somebody's attributes.
const MAX_ATTRIBUTES = 256 * 1024;

/** Tells which files a program writes, by the attributes of a commit's tree and by their names. */
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
