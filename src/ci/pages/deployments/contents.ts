import { type Archive, maxEntries } from '../../artifacts/public.ts';

/** Files that one site may have. */
export const maxFiles = 200_000;
const mebibyte = 1024 * 1024;

/** The folder of an archive that a job publishes, with no slash at either end; undefined for what is none inside it. */
export function rootOf(publish: string | null): string | undefined {
  const parts = (publish ?? 'public').split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') || parts.some((part) => part.includes('\0')) ? undefined : parts.join('/');
}

/** What of an archive a site would have, or why it cannot be one. */
export type Contents = { readonly files: number; readonly size: number } | { readonly problem: string };

/** Looks through what lies in the folder, without unpacking any of it. */
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
