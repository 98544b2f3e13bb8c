import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { defaultBranch, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Repository } from '../../platform/git/process/command.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import { languageOf, languageShares } from './names.ts';
import { storedLanguages, storeLanguages } from './store.ts';

const timeout = 5 * 60_000;
// More than almost any project has. A few nested trees that repeat each other can expand to more files than could ever
// be read.
const maxFiles = 500_000;

/** Returns the bytes per language of a commit, by file names and sizes. Files beyond the limit are not counted. */
export async function measureLanguages(
  repo: Repository,
  commit: string,
  signal?: AbortSignal,
  limit = maxFiles,
): Promise<Map<string, number>> {
  const bytes = new Map<string, number>();
  const command = { name: 'ls-tree', flags: ['-r', '-l', '-z', '--full-tree'], args: [commit] } as const;
  const options = { timeoutMs: timeout, ...(signal ? { signal } : {}) };
  let files = 0;
  for await (const line of gitLines(repo, command, options, 0)) {
    if (++files > limit) break;
    const tab = line.indexOf(9);
    const [mode, type, , size] = line.toString('latin1', 0, tab).split(/ +/);
    const count = Number(size);
    // Symbolic links are blobs too; their content is a path.
    if (type !== 'blob' || mode === '120000' || !(count > 0)) continue;
    const language = languageOf(line.toString('utf8', tab + 1));
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + count);
  }
  return bytes;
}

/** Returns the last measured languages of a project, largest share first. */
export async function languagesKnown(db: Reader, projectId: number): Promise<Record<string, number>> {
  return languageShares(await storedLanguages(db, projectId));
}

/** Returns the languages of the default branch by share, measured once per commit. */
export async function languagesOf(
  { db, git }: Services,
  project: Project,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  if (project.empty_repo === 1) return {};
  const repo = git.repository(project.id);
  const commit = await git.readRef(repo, `refs/heads/${defaultBranch(project)}`);
  if (commit === null) return {};
  if (commit === project.languages_commit) {
    return languageShares(await storedLanguages(db.read, project.id));
  }
  const bytes = await measureLanguages(repo, commit, signal);
  await db.write(async (trx) => {
    if (await updateRepositoryColumns(trx, project.id, { languages_commit: commit }))
      await storeLanguages(trx, project.id, bytes);
  });
  return languageShares(bytes);
}
