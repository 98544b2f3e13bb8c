import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { createRepository, type Repository, readHead } from '../repository.ts';
import { linkObjects } from './fork-objects.ts';

export interface CopyOptions {
  /** An earlier copy on the same disk as the new one; files that it already contains are linked from there. */
  readonly earlier?: Repository;
  readonly signal?: AbortSignal;
}

/**
 * Copies a repository with all its refs, in a consistent state. Refs are read first: the objects they reach are then
 * among those linked afterwards (or copied to another disk), because objects are only ever moved.
 */
export async function copyRepository(
  git: Pick<Git, 'listRefs'>,
  source: Repository,
  path: string,
  { earlier, signal }: CopyOptions = {},
): Promise<Repository> {
  const [refs, head] = await Promise.all([git.listRefs(source, 'refs/'), readHead(source)]);
  const copy = await createRepository(path, { defaultBranch: head?.slice('refs/heads/'.length) ?? 'main' });
  const lines = refs.map(({ name, oid }) => `${oid} ${name}\n`);
  await writeFile(join(copy.path, 'packed-refs'), ['# pack-refs with: sorted \n', ...lines].join(''), { flush: true });
  await linkObjects(source, copy, { earlier, signal });
  return copy;
}
