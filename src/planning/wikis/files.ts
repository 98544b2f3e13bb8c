import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { ObjectTooLargeError } from '../../platform/git/objects/objects.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { listTreeRecursively } from '../../platform/git/trees/list.ts';
import { pathProblem } from '../../platform/git/trees/path.ts';
import { type Format, pageAt, readPage } from './page.ts';
import { wikiOf, wikiRef } from './repository.ts';

/** A wiki page as stored in the repository. */
export interface PageFile {
  readonly slug: string;
  readonly format: Format;
  readonly path: string;
  /** ID of the file's blob. */
  readonly oid: string;
  readonly content: string;
  readonly frontMatter: Record<string, unknown>;
  /** Too large to be read: content and front matter are empty. */
  readonly isTooLarge: boolean;
}

const maxPages = 5000;
const maxTexts = 1000;
const largestShown = 10 * 1024 * 1024;

/** Commit of the wiki's branch or of a version; null for an empty wiki. */
async function commitOf(services: Services, owner: OwnerColumns, version?: string) {
  const { git } = services;
  const repo = wikiOf(services, owner);
  if (!(await repositoryExists(repo))) return null;
  const found = await git.resolve(repo, version || wikiRef);
  return found && git.objects(repo).commit(found.commit);
}

type Text = Pick<PageFile, 'content' | 'frontMatter' | 'isTooLarge'>;

const noText: Text = { content: '', frontMatter: {}, isTooLarge: false };

async function textOf(services: Services, owner: OwnerColumns, oid: string): Promise<Text> {
  try {
    const bytes = await services.git.objects(wikiOf(services, owner)).blob(oid, largestShown);
    return bytes === null ? noText : { ...readPage(decodeText(bytes)), isTooLarge: false };
  } catch (error) {
    if (error instanceof ObjectTooLargeError) return { ...noText, isTooLarge: true };
    throw error;
  }
}

/** All pages of a wiki ordered by slug, optionally with their content. */
export async function listPageFiles(
  services: Services,
  owner: OwnerColumns,
  withContent: boolean,
): Promise<PageFile[]> {
  const commit = await commitOf(services, owner);
  if (!commit) return [];
  const most = withContent ? maxTexts : maxPages;
  const found: Omit<PageFile, keyof Text>[] = [];
  for await (const lines of listTreeRecursively(wikiOf(services, owner), commit.tree)) {
    for (const line of lines) {
      const path = line.type === 'blob' ? decodeText(line.path) : '';
      const page = pageAt(path);
      if (page && found.length < most) found.push({ ...page, path, oid: line.oid });
    }
  }
  const pages: PageFile[] = [];
  for (const page of found.sort((a, b) => (a.slug < b.slug ? -1 : 1))) {
    pages.push({ ...page, ...(withContent ? await textOf(services, owner, page.oid) : noText) });
  }
  return pages;
}

/** Finds a page by slug, in any format, on the branch or at a version. */
export async function findPage(
  services: Services,
  owner: OwnerColumns,
  slug: string,
  version?: string,
): Promise<PageFile | undefined> {
  const commit = await commitOf(services, owner, version);
  if (!commit || slug === '') return undefined;
  const objects = services.git.objects(wikiOf(services, owner));
  const at = slug.lastIndexOf('/');
  const folder = at < 0 ? commit.tree : (await objects.entryAt(commit.tree, slug.slice(0, at)))?.oid;
  const tree = folder === undefined ? null : await objects.tree(folder);
  for (const entry of tree?.entries ?? []) {
    const path = at < 0 ? entry.name : `${slug.slice(0, at + 1)}${entry.name}`;
    const page = pageAt(path);
    if (!page || page.slug !== slug) continue;
    return { ...page, path, oid: entry.oid, ...(await textOf(services, owner, entry.oid)) };
  }
  return undefined;
}

/** Opens a file that is not a page. */
export async function findFile(services: Services, owner: OwnerColumns, path: string, signal: AbortSignal) {
  const commit = await commitOf(services, owner);
  if (!commit || pathProblem(path)) return undefined;
  const objects = services.git.objects(wikiOf(services, owner));
  const entry = await objects.entryAt(commit.tree, path);
  const opened = entry && (await objects.blobStream(entry.oid, signal));
  return entry && opened ? { objects, oid: entry.oid, ...opened } : undefined;
}

/** The first page by slug, with the current commit, as sample data for webhook tests. */
export async function firstPage(
  services: Services,
  owner: OwnerColumns,
): Promise<(PageFile & { readonly version: string; readonly message: string }) | undefined> {
  const commit = await commitOf(services, owner);
  const [first] = commit ? await listPageFiles(services, owner, false) : [];
  const page = first && commit ? await findPage(services, owner, first.slug, commit.oid) : undefined;
  return page && commit ? { ...page, version: commit.oid, message: commit.message.trim() } : undefined;
}
