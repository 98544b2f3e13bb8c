import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { defaultBranch, findProject, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { countCommits } from '../../platform/git/history/log.ts';
import { type Objects, ObjectTooLargeError } from '../../platform/git/objects/objects.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { listFolderEntries } from '../../platform/git/trees/list.ts';
import { indexNewHistory } from '../../platform/git/upkeep/commit-graph.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';
import { languagesOf } from '../languages/public.ts';

const refreshAfter = 1000;
const tidyAfter = 60_000;
// Indexing a longer history takes minutes and is left to housekeeping.
const maxIndexedCommits = 100_000;

/**
 * Schedules a statistics update and housekeeping after a push. Both are delayed and deduplicated: the statistics are
 * briefly outdated, but successive pushes share one count, and one housekeeping run cleans up the loose objects and
 * small packs of several pushes.
 */
export async function scheduleUpkeep(
  services: Services,
  trx: Writer,
  { projectId }: { readonly projectId: number },
): Promise<void> {
  const dedupeKey = `${projectId}`;
  const now = Date.now();
  await enqueueRefresh(services, trx, projectId, now + refreshAfter);
  const tidy = { projectId, task: 'eager' } as const;
  await services.queue.enqueue(trx, 'projects.housekeep', tidy, { dedupeKey, runAt: now + tidyAfter });
}

/** Queues an update of the repository statistics of a project. */
export async function enqueueRefresh(
  { queue }: Services,
  trx: Writer,
  projectId: number,
  runAt?: number,
): Promise<void> {
  const when = runAt === undefined ? {} : { runAt };
  await queue.enqueue(trx, 'projects.refresh', { projectId }, { dedupeKey: `${projectId}`, ...when });
}

/** Updates the repository statistics of a project: size, commit count, README and languages. */
export async function refreshProject(services: Services, id: number, signal?: AbortSignal): Promise<void> {
  const project = await findProject(services.db.read, id);
  if (!project || !(await repositoryExists(services.git.repository(id)))) return;
  try {
    await refresh(services, project, signal);
  } catch (error) {
    // Ignore errors if the project was deleted meanwhile.
    if (await findProject(services.db.read, id)) throw error;
  }
}

async function refresh(services: Services, project: Project, signal?: AbortSignal): Promise<void> {
  const { db, git } = services;
  const repo = git.repository(project.id);
  const options = signal ? { signal } : {};
  const size = await repositorySize(repo, options);
  const tip = await git.readRef(repo, `refs/heads/${defaultBranch(project)}`);
  const contents =
    tip === null
      ? { commit_count: 0, readme_path: null }
      : {
          commit_count: await countCommits(repo, { revisions: [tip] }, options),
          readme_path: await readmeOf(services, repo, tip),
        };
  await db.write((trx) => updateRepositoryColumns(trx, project.id, { repository_size: size, ...contents }));
  if (tip === null) return;
  if (contents.commit_count <= maxIndexedCommits) await indexNewHistory(repo, options);
  await languagesOf(services, project, signal);
}

const readmeNames = /^readme(?:\.(?:md|markdown|mdown|mkd|rst|adoc|asciidoc|org|txt|rdoc|textile|creole|wiki))?$/i;

/** Finds the README of a commit: Markdown first, then by name. */
async function readmeOf({ git }: Services, repo: Repository, commit: string): Promise<string | null> {
  const objects = git.objects(repo);
  const found = await objects.commit(commit);
  if (!found) return null;
  return pickReadme(await namesAtTop(objects, found.tree));
}

/** Returns the file names of a folder. If it is too large to load, only possible README names are returned. */
async function namesAtTop(objects: Objects, tree: string): Promise<string[]> {
  try {
    const { entries = [] } = (await objects.tree(tree)) ?? {};
    return entries.filter((entry) => entry.mode !== '040000').map((entry) => entry.name);
  } catch (error) {
    if (!(error instanceof ObjectTooLargeError)) throw error;
  }
  const names: string[] = [];
  for await (const lines of listFolderEntries(objects.repo, tree)) {
    for (const line of lines) {
      const name = line.type === 'tree' ? '' : decodeText(line.path);
      if (readmeNames.test(name)) names.push(name);
    }
  }
  return names;
}

/** Picks the README out of a folder's file names. */
export function pickReadme(names: readonly string[]): string | null {
  const rank = (name: string) => (/\.(md|markdown|mdown|mkd)$/i.test(name) ? 0 : name.includes('.') ? 1 : 2);
  const [first] = names.filter((name) => readmeNames.test(name)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return first ?? null;
}
