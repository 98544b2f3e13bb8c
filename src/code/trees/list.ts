import type { Services } from '../../access/services.ts';
import type { WithProcessSlot } from '../../platform/git/history/log.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { isObjectId } from '../../platform/git/refs/refname.ts';
import { FolderListing } from '../../platform/git/trees/folder-page.ts';
import { type ListedEntry, wholeListing } from '../../platform/git/trees/list.ts';
import { TreeListing } from '../../platform/git/trees/page.ts';
import { pathProblem } from '../../platform/git/trees/path.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { trimCharacters } from '../../platform/trim.ts';
import { type ProjectCall, repositoryOf, runExpensive } from '../repository/public.ts';

/** Maximum number of entries returned without pagination. */
const maxUnpaginated = 300_000;

export interface TreeQuery {
  readonly path?: string;
  readonly recursive: boolean;
  readonly pagination: 'legacy' | 'keyset' | 'none';
  readonly page_token?: string;
}

/** Validates the combination of parameters. */
export function checkListing({ pagination, recursive }: TreeQuery): void {
  if (pagination === 'none' && !recursive) {
    throw new ParameterError('pagination cannot be "none" unless "recursive" is true');
  }
}

/** Returns a page of a folder at a commit, or of its whole subtree; with `pagination=none` all of it. */
export async function listTree(
  services: Services,
  call: ProjectCall,
  commit: Commit,
  query: TreeQuery,
  page: PageRequest,
): Promise<Page<ListedEntry> | KeysetPage<ListedEntry> | readonly ListedEntry[]> {
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const { tree, prefix } = await folder(objects, commit, query.path);
  const slowly: WithProcessSlot = (work) => runExpensive(services, call, () => work({ signal: call.signal }));
  const listing = query.recursive
    ? new TreeListing(objects, tree, prefix, slowly)
    : await folderListing(objects, tree, prefix);
  if (query.pagination === 'none') {
    // A few nested trees that repeat each other can expand to billions of entries.
    if ((await listing.total) > maxUnpaginated) throw new TooLarge('The listing is too long, use pagination');
    return slowly((limits) => wholeListing(objects.repo, tree, prefix, limits));
  }
  if (query.pagination === 'keyset') return keysetPage(listing, query.page_token, page.perPage);
  const total = await listing.total;
  return new Page(await listing.slice(page.offset, page.perPage), total, page.offset + page.perPage < total);
}

/** Returns a page of a folder, and the path prefix of its entries. */
export async function folderPage(objects: Objects, commit: Commit, path: string | undefined, page: PageRequest) {
  const { tree, prefix } = await folder(objects, commit, path);
  const listing = await folderListing(objects, tree, prefix);
  return { prefix, entries: await listing.slice(page.offset, page.perPage), total: await listing.total };
}

/** Resolves the folder of a query: its tree and the path prefix of its entries. */
async function folder(objects: Objects, commit: Commit, path = ''): Promise<{ tree: string; prefix: string }> {
  const folderPath = trimCharacters(path, '/');
  if (folderPath === '' || folderPath === '.') return { tree: commit.tree, prefix: '' };
  const missing = new NotFound('invalid revision or path');
  if (pathProblem(folderPath)) throw missing;
  const entry = await objects.entryAt(commit.tree, folderPath);
  if (!entry || entryType(entry) !== 'tree') throw missing;
  return { tree: entry.oid, prefix: `${folderPath}/` };
}

async function folderListing(objects: Objects, tree: string, prefix: string): Promise<FolderListing> {
  const found = await objects.tree(tree);
  if (!found) throw new NotFound('Tree');
  return new FolderListing(objects, found, prefix);
}

type Listing = FolderListing | TreeListing;

async function keysetPage(
  listing: Listing,
  token: string | undefined,
  perPage: number,
): Promise<KeysetPage<ListedEntry>> {
  const start = token ? await indexAfter(listing, token) : 0;
  const entries = await listing.slice(start, perPage);
  const end = start + entries.length;
  const last = entries.at(-1);
  if (!last || end >= (await listing.total)) return new KeysetPage(entries);
  return new KeysetPage(entries, { page_token: tokenOf(last, await listing.isFirst(last.oid, end - 1)) });
}

/** The page token of an entry: its object ID, plus its path if the ID is not unique. */
export function tokenOf(entry: Pick<ListedEntry, 'oid' | 'path'>, unique: boolean): string {
  return unique ? entry.oid : `${entry.oid}.${Buffer.from(entry.path).toString('base64url')}`;
}

/** Returns the start of the page after a token. Unknown tokens are rejected, as clients would otherwise start over. */
async function indexAfter(listing: Listing, token: string): Promise<number> {
  const index = await indexOf(listing, token);
  if (index < 0) throw new ParameterError('page_token is invalid');
  return index + 1;
}

async function indexOf(listing: Listing, token: string): Promise<number> {
  const [oid = '', encoded] = token.split('.');
  if (!isObjectId(oid)) return -1;
  if (encoded === undefined) return listing.firstOf(oid);
  const index = await listing.indexOf(Buffer.from(encoded, 'base64url').toString());
  const [entry] = index < 0 ? [] : await listing.slice(index, 1);
  return entry?.oid === oid ? index : -1;
}

/** Presents a tree entry. */
export function presentEntry({ oid, type, path, mode }: ListedEntry) {
  return { id: oid, name: path.slice(path.lastIndexOf('/') + 1), type, path, mode };
}
