import type { ProjectSubject } from '../../access/subjects.ts';
import { pathProblem } from '../../platform/git/path.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { entryType } from '../../platform/git/tree.ts';
import { entriesBelow, type ListedEntry } from '../../platform/git/tree-list.ts';
import { NotFound, ParameterError } from '../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { repositoryOf, resolveCommit } from '../repository/service.ts';
import { indexAfter, inOrder, sliceOf, tokenOf } from './listing.ts';

export interface TreeQuery {
  readonly ref?: string;
  readonly path?: string;
  readonly recursive: boolean;
  readonly pagination: 'legacy' | 'keyset' | 'none';
  readonly page_token?: string;
}

/** The folder that a query names: its tree, and what its entries' paths begin with. */
async function folder(
  services: Services,
  subject: ProjectSubject,
  repo: Repository,
  { ref, path = '' }: TreeQuery,
): Promise<{ tree: string; prefix: string }> {
  const commit = await resolveCommit(services, subject, ref);
  if (!commit) throw new NotFound('Tree');
  const wanted = path.replace(/^\/+|\/+$/g, '');
  if (wanted === '' || wanted === '.') return { tree: commit.tree, prefix: '' };
  const missing = new NotFound('invalid revision or path');
  if (pathProblem(wanted)) throw missing;
  const entry = await services.git.objects(repo).entryAt(commit.tree, wanted);
  if (!entry || entryType(entry) !== 'tree') throw missing;
  return { tree: entry.oid, prefix: `${wanted}/` };
}

/** The entries of one folder, in order; they depend on the tree alone, which is cached. */
async function entriesOf(services: Services, repo: Repository, tree: string, prefix: string): Promise<ListedEntry[]> {
  const found = await services.git.objects(repo).tree(tree);
  if (!found) throw new NotFound('Tree');
  return inOrder(
    found.entries.map(({ mode, name, oid }) => ({ mode, type: entryType({ mode }), oid, path: prefix + name })),
  );
}

export async function listTree(
  services: Services,
  subject: ProjectSubject,
  query: TreeQuery,
  page: PageRequest,
  signal: AbortSignal,
): Promise<Page<ListedEntry> | KeysetPage<ListedEntry> | ListedEntry[]> {
  if (query.pagination === 'none' && !query.recursive) {
    throw new ParameterError('pagination cannot be "none" unless "recursive" is true');
  }
  const repo = repositoryOf(services, subject);
  const { tree, prefix } = await folder(services, subject, repo, query);
  const below = () => entriesBelow(repo, tree, prefix, signal);
  if (query.pagination === 'legacy' && query.recursive) {
    const { entries, total } = await sliceOf(below(), page.offset, page.perPage);
    return new Page(entries, total);
  }
  const all = query.recursive ? inOrder(await Array.fromAsync(below())) : await entriesOf(services, repo, tree, prefix);
  if (query.pagination === 'none') return all;
  if (query.pagination === 'keyset') return keysetPage(all, query, page.perPage);
  return new Page(all.slice(page.offset, page.offset + page.perPage), all.length);
}

function keysetPage(all: readonly ListedEntry[], query: TreeQuery, perPage: number): KeysetPage<ListedEntry> {
  const start = query.page_token ? indexAfter(all, query.page_token) : 0;
  const entries = all.slice(start, start + perPage);
  const last = entries.at(-1);
  if (!last || start + perPage >= all.length) return new KeysetPage(entries);
  const unique = all.findIndex((entry) => entry.oid === last.oid) === start + entries.length - 1;
  return new KeysetPage(entries, { page_token: tokenOf(last, unique) });
}

export function presentEntry({ oid, type, path, mode }: ListedEntry) {
  return { id: oid, name: path.slice(path.lastIndexOf('/') + 1), type, path, mode };
}

/** The blob that a name stands for: a whole id, or the unambiguous beginning of one. */
async function blobInfo(services: Services, repo: Repository, sha: string): Promise<{ oid: string; size: number }> {
  if (!/^[0-9a-f]{4,40}$/i.test(sha)) throw new NotFound('Blob');
  const info = await services.git.objects(repo).info(sha.toLowerCase());
  if (info.status !== 'found' || info.type !== 'blob') throw new NotFound('Blob');
  return info;
}

export async function getBlob(services: Services, subject: ProjectSubject, sha: string) {
  const repo = repositoryOf(services, subject);
  const { oid, size } = await blobInfo(services, repo, sha);
  await limitLargeBlob(services, subject, size, '/projects/:id/repository/blobs/:sha/raw');
  const content = await services.git.objects(repo).blob(oid, size);
  return { size, encoding: 'base64', content: (content ?? Buffer.alloc(0)).toString('base64'), sha: oid };
}

export async function openBlob(services: Services, subject: ProjectSubject, sha: string, signal: AbortSignal) {
  const repo = repositoryOf(services, subject);
  const { oid } = await blobInfo(services, repo, sha);
  const opened = await services.git.objects(repo).blobStream(oid, signal);
  if (!opened) throw new NotFound('Blob');
  return opened;
}

/** Blobs over the threshold, as JSON, are counted per project; `raw` is the address that is not limited. */
export async function limitLargeBlob(
  { config, limits }: Services,
  subject: ProjectSubject,
  size: number,
  raw: string,
): Promise<void> {
  if (size <= config.largeBlob) return;
  const text =
    `The requested blob is over the threshold size of ${config.largeBlob}.\n` +
    `Access this blob using '${raw}' to avoid this error.\n`;
  await limits.spend('large_blob', subject.project.id, config.largeBlobRate, text);
}
