import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { defaultBranch } from '../../namespaces/projects/views/present.ts';
import type { Repository } from '../../platform/git/process/command.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import { languageOf, shares } from './names.ts';

const timeout = 5 * 60_000;
// More than almost any project has. A few trees that name each other over and over make more files than can ever be read.
const mostFiles = 500_000;

/** How many bytes of each language a commit holds, by the names and sizes of its files: of so many at most. */
export async function measureLanguages(
  repo: Repository,
  commit: string,
  signal?: AbortSignal,
  most = mostFiles,
): Promise<Map<string, number>> {
  const bytes = new Map<string, number>();
  const command = { name: 'ls-tree', flags: ['-r', '-l', '-z', '--full-tree'], args: [commit] } as const;
  const options = { timeoutMs: timeout, ...(signal ? { signal } : {}) };
  let files = 0;
  for await (const line of gitLines(repo, command, options, 0)) {
    if (++files > most) break;
    const tab = line.indexOf(9);
    const [mode, type, , size] = line.toString('latin1', 0, tab).split(/ +/);
    const count = Number(size);
    // Links are files too, whose content is a path.
    if (type !== 'blob' || mode === '120000' || !(count > 0)) continue;
    const language = languageOf(line.toString('utf8', tab + 1));
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + count);
  }
  return bytes;
}

/** The languages of a project's default branch, by their shares; measured once for a commit and kept. */
export async function languagesOf(
  services: Services,
  { project }: Pick<ProjectSubject, 'project'>,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const { db, git } = services;
  if (project.empty_repo === 1) return {};
  const repo = git.repository(project.id);
  const commit = await git.readRef(repo, `refs/heads/${defaultBranch(project)}`);
  if (commit === null) return {};
  if (commit === project.languages_commit) {
    const rows = await db.read
      .selectFrom('project_languages')
      .select(['name', 'bytes'])
      .where('project_id', '=', project.id)
      .execute();
    return shares(new Map(rows.map((row) => [row.name, row.bytes])));
  }
  const bytes = await measureLanguages(repo, commit, signal);
  await keepLanguages(services, project, commit, bytes);
  return shares(bytes);
}

async function keepLanguages(
  { db }: Services,
  { id }: Project,
  commit: string,
  bytes: ReadonlyMap<string, number>,
): Promise<void> {
  await db.write(async (trx) => {
    const found = await trx
      .updateTable('projects')
      .set({ languages_commit: commit })
      .where('id', '=', id)
      .executeTakeFirst();
    if (Number(found.numUpdatedRows) === 0) return;
    await trx.deleteFrom('project_languages').where('project_id', '=', id).execute();
    const rows = [...bytes].map(([name, size]) => ({ project_id: id, name, bytes: size }));
    if (rows.length > 0) await trx.insertInto('project_languages').values(rows).execute();
  });
}
