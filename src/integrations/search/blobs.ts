import type { Services } from '../../access/services.ts';
import type { ProjectCall } from '../../code/repository/public.ts';
import { runExpensive } from '../../code/repository/public.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { grep } from '../../platform/git/search/grep.ts';
import { linesBelow } from '../../platform/git/trees/list.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type BlobQuery, readBlobQuery } from './blob-query.ts';
import type { BlobEntity, SearchParams } from './schema.ts';

/** So many results are looked for, so many files walked; whoever finds more has to ask for less. */
const maxResults = 2000;
const maxFiles = 100_000;
const longestData = 8192;
const shownLines = 5;
const largestShown = 256 * 1024;
const timeoutMs = 15_000;

const withoutExtension = (path: string) => path.replace(/\.[^./]+$/, '');

/** Where to look: the repository of a project, or of its wiki. */
export interface Searched {
  readonly repo: Repository;
  readonly ref: string;
}

/** The passages of files that hold a text, and the files whose names do; each part of a page that is asked for. */
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
    const wanted: Omit<BlobEntity, 'project_id' | 'group_id'>[] = [];
    for await (const blob of results(services, repo, { commit: found.commit, ref, query, around }, call.signal)) {
      if (seen++ < page.offset) continue;
      wanted.push(blob);
      if (wanted.length > page.perPage) break;
    }
    return wanted;
  });
  const { id: project_id } = call.subject.project;
  const items = blobs.slice(0, page.perPage).map((blob) => ({ ...blob, project_id, group_id: null }));
  const more = blobs.length > page.perPage && page.offset + page.perPage < maxResults;
  // What is behind the page is not looked for; where nothing is, what there is has been counted.
  return more ? new Page(items, undefined, true) : new Page(items, seen);
}

/** What is looked for in a commit, and how many lines around it are wanted. */
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
  for await (const lines of linesBelow(repo, commit, { signal, timeoutMs })) {
    for (const entry of lines) {
      if (entry.type !== 'blob') continue;
      if (++walked > maxFiles) return;
      const path = decodeText(entry.path);
      if (named.has(path) || !path.toLowerCase().includes(needle) || !query.takes(path)) continue;
      yield blob(path, 1, await beginningOf(services, repo, entry.oid));
    }
  }
}

/** The first lines of a text; of anything else, and of what is large, nothing. */
async function beginningOf({ git }: Services, repo: Repository, oid: string): Promise<string> {
  const objects = git.objects(repo);
  const info = await objects.info(oid);
  if (info.status !== 'found' || info.size > largestShown) return '';
  const bytes = await objects.blob(oid);
  if (bytes === null || bytes.subarray(0, 8000).includes(0)) return '';
  return decodeText(bytes).split('\n').slice(0, shownLines).join('\n');
}
