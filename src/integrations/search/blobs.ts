import type { Services } from '../../access/services.ts';
import type { ProjectCall } from '../../code/repository/public.ts';
import { runExpensive } from '../../code/repository/public.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { grep } from '../../platform/git/search/grep.ts';
import { listTreeRecursively } from '../../platform/git/trees/list.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type BlobQuery, readBlobQuery } from './blob-query.ts';
import type { BlobEntity, SearchParams } from './schema.ts';

/** Maximum numbers of results and of files searched; broader queries must be narrowed. */
const maxResults = 2000;
const maxFiles = 100_000;
const longestData = 8192;
const shownLines = 5;
const largestShown = 256 * 1024;
const timeoutMs = 15_000;

const withoutExtension = (path: string) => path.replace(/\.[^./]+$/, '');

/** The repository to search: that of a project or of its wiki. */
export interface Searched {
  readonly repo: Repository;
  readonly ref: string;
}

/** Returns the requested page of matching file passages and matching file names. */
export async function searchBlobs(
  services: Services,
  call: ProjectCall,
  { repo, ref }: Searched,
  { search, num_context_lines: around }: Pick<SearchParams, 'search' | 'num_context_lines'>,
  page: PageRequest,
): Promise<Page<BlobEntity>> {
  const query = readBlobQuery(search);
  if (page.offset >= maxResults || /[\0\n\r]/.test(query.text)) return new Page([], undefined, false);
  if (query.text === '' && !query.filtered) return new Page([], 0);
  if (!(await repositoryExists(repo))) return new Page([], 0);
  const found = await services.git.resolve(repo, ref);
  if (!found) return new Page([], 0);
  let seen = 0;
  const blobs = await runExpensive(services, call, async () => {
    const pageItems: Omit<BlobEntity, 'project_id' | 'group_id'>[] = [];
    for await (const blob of results(services, repo, { commit: found.commit, ref, query, around }, call.signal)) {
      if (seen++ < page.offset) continue;
      pageItems.push(blob);
      if (pageItems.length > page.perPage) break;
    }
    return pageItems;
  });
  const { id: project_id } = call.subject.project;
  const items = blobs.slice(0, page.perPage).map((blob) => ({ ...blob, project_id, group_id: null }));
  const more = blobs.length > page.perPage && page.offset + page.perPage < maxResults;
  // The search stops after the page, so the total is known only if nothing follows.
  return more ? new Page(items, undefined, true) : new Page(items, seen);
}

/** The search in a commit: the query, and the number of context lines. */
interface Looked {
  readonly commit: string;
  readonly ref: string;
  readonly query: BlobQuery;
  readonly around: number | undefined;
}

type Found = Omit<BlobEntity, 'project_id' | 'group_id'>;

async function* results(
  services: Services,
  repo: Repository,
  { commit, ref, query, around }: Looked,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  const blob = (path: string, line: number, data: string): Found => ({
    basename: withoutExtension(path),
    data: data.slice(0, longestData),
    path,
    filename: path,
    id: null,
    ref,
    startline: line,
  });
  const named = new Set<string>();
  if (query.text !== '') {
    for await (const { path, line, lines } of grep(repo, commit, query.text, {
      signal,
      ...(around === undefined ? {} : { around }),
    })) {
      named.add(path);
      if (query.takes(path)) yield blob(path, line, `${lines.join('\n')}\n`);
    }
  }
  const needle = query.text.toLowerCase();
  let walked = 0;
  for await (const lines of listTreeRecursively(repo, commit, { signal, timeoutMs })) {
    for (const entry of lines) {
      if (entry.type !== 'blob') continue;
      if (++walked > maxFiles) return;
      const path = decodeText(entry.path);
      if (named.has(path) || !path.toLowerCase().includes(needle) || !query.takes(path)) continue;
      yield blob(path, 1, await beginningOf(services, repo, entry.oid));
    }
  }
}

/** Returns the first lines of a text file; an empty string for binary and large files. */
async function beginningOf({ git }: Services, repo: Repository, oid: string): Promise<string> {
  const objects = git.objects(repo);
  const info = await objects.info(oid);
  if (info.status !== 'found' || info.size > largestShown) return '';
  const bytes = await objects.blob(oid);
  if (bytes === null || bytes.subarray(0, 8000).includes(0)) return '';
  return decodeText(bytes).split('\n').slice(0, shownLines).join('\n');
}
