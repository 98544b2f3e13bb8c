import type { Services } from '../../access/services.ts';
import { CommitDetail, presentCommit } from '../../code/commits/public.ts';
import { type ProjectCall, projectUrl, runExpensive } from '../../code/repository/public.ts';
import { commitIds } from '../../platform/git/history/log.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { Searched } from './blobs.ts';

export const CommitFound = CommitDetail;

const maxCommits = 10_000;
const timeoutMs = 15_000;

/** Returns the commits whose message contains a text, newest first, or the commit whose ID starts with it. */
export async function searchCommits(
  services: Services,
  call: ProjectCall,
  { repo, ref }: Searched,
  search: string,
  page: PageRequest,
) {
  const text = search.trim();
  if (page.offset >= maxCommits || /[\0\n\r]/.test(text) || !(await repositoryExists(repo))) return new Page([], 0);
  const { git } = services;
  const tip = await git.resolve(repo, ref);
  if (!tip) return new Page([], 0);
  const named = /^[0-9a-f]{7,40}$/i.test(text) ? await git.resolve(repo, text.toLowerCase()) : null;
  const ids = await runExpensive(services, call, () =>
    named
      ? Promise.resolve(page.offset === 0 ? [named.commit] : [])
      : commitIds(
          repo,
          { revisions: [tip.commit], message: text, skip: page.offset, limit: page.perPage + 1 },
          { signal: call.signal, timeoutMs },
        ),
  );
  const commits = (await git.objects(repo).commits(ids.slice(0, page.perPage))).filter((commit) => commit !== null);
  const url = projectUrl(services, call.subject);
  const items = commits.map((commit) => ({
    ...presentCommit(commit, url),
    project_id: call.subject.project.id,
    status: null,
    last_pipeline: null,
  }));
  if (ids.length > page.perPage) return new Page(items, undefined, true);
  // Beyond the end, the number of skipped commits is unknown.
  return items.length === 0 && page.offset > 0
    ? new Page(items, undefined, false)
    : new Page(items, page.offset + items.length);
}
