import { run } from '../process/command.ts';
import type { Repository } from '../repository.ts';

/** Returns the disk usage of a repository's own objects; with a quarantine, of the quarantine. */
export async function repositorySize(repo: Repository, options: { readonly signal?: AbortSignal } = {}) {
  const { stdout } = await run(repo, { name: 'count-objects', flags: ['-v'] }, options);
  const kibibytes = [...stdout.toString('latin1').matchAll(/^(?:size|size-pack|size-garbage): (\d+)$/gm)];
  return kibibytes.reduce((sum, [, size]) => sum + Number(size), 0) * 1024;
}
