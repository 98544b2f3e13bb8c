import { isProject, type OwnerColumns, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { BranchNotMoved, serializeBranchWrites } from '../../code/commits/public.ts';
import { committerOf } from '../../code/repository/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { createCommit } from '../../platform/git/objects/commit-write.ts';
import { UnsoundObjectError } from '../../platform/git/objects/writer.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { TreeEditError, type TreeEditor } from '../../platform/git/trees/edit.ts';
import { isCheckedByGit } from '../../platform/git/trees/path.ts';
import { Conflict, Invalid, NotFound } from '../../platform/http/errors.ts';

export const wikiBranch = 'main';
export const wikiRef = `refs/heads/${wikiBranch}`;

/** Key of the wiki repository. */
export function wikiKey({ project_id, namespace_id }: OwnerColumns): string {
  return project_id === null ? `group-${namespace_id}.wiki` : `${project_id}.wiki`;
}

export function wikiOf({ git }: Services, owner: OwnerColumns): Repository {
  return git.repository(wikiKey(owner));
}

/** Returns the wiki repository, which is created on first use. */
export async function ensureWiki(services: Services, owner: OwnerColumns): Promise<Repository> {
  const repo = wikiOf(services, owner);
  if (await repositoryExists(repo)) return repo;
  await services.git.createIfMissing(wikiKey(owner), { defaultBranch: wikiBranch });
  if (await isThere(services, owner)) return repo;
  // The project was deleted concurrently, and its cleanup may already have run.
  await services.git.remove(repo);
  throw new NotFound();
}

async function isThere({ db: { read } }: Services, { project_id, namespace_id }: OwnerColumns): Promise<boolean> {
  const found =
    project_id === null ? await lookUpNamespace(read, String(namespace_id)) : await findProject(read, project_id);
  return found !== undefined;
}

/** A commit to a wiki: `edit` changes the tree, with a function that writes blobs. */
export interface WikiEdit {
  readonly user: User;
  readonly message: string;
  /** Runs again on the new tree if the branch has been updated concurrently. */
  edit(editor: TreeEditor, blob: (content: Buffer) => Promise<string>): Promise<void>;
  /** Paths that the edit writes. */
  readonly paths: readonly string[];
}

/** Commits the edit and returns the commit ID. Concurrent commits to a wiki are made one after the other. */
export async function commitToWiki(services: Services, owner: OwnerColumns, work: WikiEdit): Promise<string> {
  const repo = await ensureWiki(services, owner);
  try {
    return await serializeBranchWrites(services.git, wikiKey(owner), () => commitOnce(services, repo, work));
  } catch (error) {
    throw error instanceof BranchNotMoved ? wikiChangedError() : error;
  }
}

async function commitOnce(services: Services, repo: Repository, work: WikiEdit): Promise<string> {
  const { git } = services;
  const old = await git.readRef(repo, wikiRef);
  const parent = old === null ? null : await git.objects(repo).commit(old);
  const writer = git.writer(repo);
  try {
    const editor = await git.editTree(repo, parent?.tree ?? null);
    await work.edit(editor, (content) => writer.add('blob', content));
    const tree = await editor.write(writer);
    const signature = committerOf(services, work.user);
    const commit = {
      tree,
      parents: old === null ? [] : [old],
      author: signature,
      committer: signature,
      message: work.message,
    };
    const id = await createCommit(writer, commit);
    await writer.flush({ checked: work.paths.some(isCheckedByGit) });
    const moved = await git.updateRefs(repo, [{ ref: wikiRef, old, new: id }]);
    if (moved.status !== 'ok') throw new BranchNotMoved(`Could not update ${wikiRef}`, true);
    return id;
  } catch (error) {
    await writer.discard();
    if (error instanceof TreeEditError && error.problem === 'exists') throw duplicatePageError();
    if (error instanceof TreeEditError || error instanceof UnsoundObjectError) {
      throw new Invalid({ base: ['The page could not be saved under this title'] });
    }
    throw error;
  }
}

export function wikiChangedError(): Conflict {
  return new Conflict('The wiki has been changed by another user in the meantime');
}

export function duplicatePageError(): Invalid {
  return new Invalid({ base: ['Duplicate page: A page with that title already exists'] });
}

/** Web URL of a wiki or of a page. */
export function wikiUrl({ externalUrl }: Services, place: ProjectOrGroup, slug?: string): string {
  const base = isProject(place) ? place.fullPath : `groups/${place.group.full_path}`;
  const page = slug === undefined ? '' : `/${slug.split('/').map(encodeURIComponent).join('/')}`;
  return `${externalUrl}/${base}/-/wikis${page}`;
}
