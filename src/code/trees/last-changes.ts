import type { Services } from '../../access/services.ts';
import { lastCommitsOf } from '../../platform/git/history/last-commits.ts';
import { type Commit, commitTitle } from '../../platform/git/objects/commit.ts';
import { datedSeconds } from '../../platform/git/objects/identity.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type ProjectCall, repositoryOf } from '../repository/public.ts';
import { folderPage } from './list.ts';
import type { EntryChangeEntity } from './schema.ts';

const maxTitleLength = 200;

function present(commit: Commit) {
  return {
    id: commit.oid,
    title: commitTitle(commit.message).slice(0, maxTitleLength).toWellFormed(),
    committed_date: new Date(datedSeconds(commit.committer.seconds) * 1000).toISOString(),
  };
}

/** Lists the entries of a folder with the last commit of each. A single history walk finds those of a page. */
export async function listLastChanges(
  services: Services,
  { subject }: ProjectCall,
  commit: Commit,
  path: string | undefined,
  page: PageRequest,
): Promise<Page<EntryChangeEntity>> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const { prefix, entries, total } = await folderPage(objects, commit, path, page);
  const names = entries.map((entry) => entry.path.slice(prefix.length));
  const found = await lastCommitsOf(objects, commit.oid, prefix.slice(0, -1), names);
  const ids = [...new Set([...found.values()].filter((id) => id !== null))];
  const commits = new Map((await objects.commits(ids)).flatMap((read) => (read ? [[read.oid, present(read)]] : [])));
  const changes = names.map((name) => ({
    name,
    path: `${prefix}${name}`,
    commit: commits.get(found.get(name) ?? '') ?? null,
  }));
  return new Page(changes, total, page.offset + page.perPage < total);
}
