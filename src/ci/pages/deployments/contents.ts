import { type Archive, maxEntries } from '../../artifacts/public.ts';

/** Maximum number of files of a site. */
export const maxFiles = 200_000;
const mebibyte = 1024 * 1024;

/**
 * Folder of the artifacts archive to publish, without leading or trailing slash; undefined if it is outside the
 * archive.
 */
export function rootOf(publish: string | null): string | undefined {
  const parts = (publish ?? 'public').split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') || parts.some((part) => part.includes('\0')) ? undefined : parts.join('/');
}

/** Size of a site in an archive, or the reason why it cannot be published. */
export type Contents = { readonly files: number; readonly size: number } | { readonly problem: string };

/** Counts the files in the folder without unpacking the archive. */
export async function contentsOf(archive: Archive, root: string, limit: number): Promise<Contents> {
  if (archive.entryCount > maxEntries) return { problem: `the artifacts have more than ${maxEntries} files` };
  const start = root === '' ? '' : `${root}/`;
  let [files, size] = [0, 0];
  for await (const entry of archive.entries()) {
    if (!entry.path.startsWith(start) || entry.path.endsWith('/')) continue;
    files += 1;
    size += entry.size;
    if (files > maxFiles) return { problem: `the site has more than ${maxFiles} files` };
    if (limit > 0 && size > limit * mebibyte) return { problem: `the site is larger than ${limit} MiB` };
  }
  if (files > 0) return { files, size };
  return { problem: `there is no file in the folder ${root === '' ? '.' : root} of the artifacts of the job` };
}
