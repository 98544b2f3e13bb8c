import { randomUUID } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { BranchNotMoved, serializeBranchWrites } from '../../code/commits/public.ts';
import { committerOf } from '../../code/repository/public.ts';
import { createCommit } from '../../platform/git/objects/commit-write.ts';
import { type Objects, ObjectTooLargeError } from '../../platform/git/objects/objects.ts';
import type { ObjectWriter } from '../../platform/git/objects/writer.ts';
import { UnsoundObjectError } from '../../platform/git/objects/writer.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { TreeEditError, type TreeEditor } from '../../platform/git/trees/edit.ts';
import { isCheckedByGit } from '../../platform/git/trees/path.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { Conflict } from '../../platform/http/errors.ts';
import { checkSizes, type FileEdit, maxFiles, snippetError } from './actions.ts';
import type { SnippetRow } from './tables.ts';

export const snippetBranch = 'main';
export const snippetRef = `refs/heads/${snippetBranch}`;

/** Generates a unique repository key, which differs from those of projects. */
export function newRepositoryKey(): string {
  return `snippet-${randomUUID()}`;
}

async function apply(editor: TreeEditor, writer: ObjectWriter, edit: FileEdit): Promise<void> {
  const blob = (content: string) => writer.add('blob', Buffer.from(content));
  switch (edit.action) {
    case 'create':
      return editor.create(edit.path, { mode: '100644', oid: await blob(edit.content) });
    case 'update':
      return editor.replace(edit.path, { mode: '100644', oid: await blob(edit.content) });
    case 'delete':
      await editor.remove(edit.path);
      return;
    case 'move': {
      const before = await editor.remove(edit.from);
      const oid = edit.content === undefined ? before.oid : await blob(edit.content);
      return editor.create(edit.path, { mode: before.mode, oid });
    }
  }
}

function problemText({ problem, path }: TreeEditError): string {
  if (problem === 'exists') return 'A file with this name already exists';
  if (problem === 'missing') return "A file with this name doesn't exist";
  return `'${path}' cannot be written: ${problem.replaceAll('-', ' ')}`;
}

/** Files below a tree, in tree order; stops at one more than the allowed number. */
async function filesBelow(objects: Objects, tree: string, prefix = ''): Promise<{ path: string; oid: string }[]> {
  const found: { path: string; oid: string }[] = [];
  for (const entry of (await objects.tree(tree))?.entries ?? []) {
    if (found.length > maxFiles) break;
    if (entryType(entry) === 'tree') found.push(...(await filesBelow(objects, entry.oid, `${prefix}${entry.name}/`)));
    else found.push({ path: prefix + entry.name, oid: entry.oid });
  }
  return found;
}

async function pathsBelow(objects: Objects, tree: string): Promise<string[]> {
  return (await filesBelow(objects, tree)).map(({ path }) => path);
}

/** Sizes of the files of a commit; entries that are not files count as 0. */
export async function sizesAt(objects: Objects, commitId: string): Promise<number[]> {
  const commit = await objects.commit(commitId);
  const files = commit ? await filesBelow(objects, commit.tree) : [];
  const infos = await Promise.all(files.map(({ oid }) => objects.info(oid)));
  return infos.map((info) => (info.status === 'found' ? info.size : 0));
}

/** Paths of the current files of a snippet. */
export async function filesOf({ git }: Services, repo: Repository): Promise<string[]> {
  const objects = git.objects(repo);
  const head = await git.readRef(repo, snippetRef);
  const commit = head === null ? null : await objects.commit(head);
  return commit ? pathsBelow(objects, commit.tree) : [];
}

/** Commits edits to the files of a snippet. Concurrent commits to a snippet are made one after the other. */
export async function commitEdits(
  services: Services,
  user: User,
  repo: Repository,
  edits: readonly FileEdit[],
): Promise<void> {
  checkSizes(edits, (await services.settings.read()).snippet_size_limit);
  try {
    await serializeBranchWrites(services.git, repo.path, () => commitOnce(services, user, repo, edits));
  } catch (error) {
    if (!(error instanceof BranchNotMoved)) throw error;
    throw new Conflict('The snippet has been changed by another user in the meantime');
  }
}

async function commitOnce(services: Services, user: User, repo: Repository, edits: readonly FileEdit[]): Promise<void> {
  const { git } = services;
  const old = await git.readRef(repo, snippetRef);
  const parent = old === null ? null : await git.objects(repo).commit(old);
  const writer = git.writer(repo);
  try {
    const editor = await git.editTree(repo, parent?.tree ?? null);
    for (const edit of edits) await apply(editor, writer, edit);
    const tree = await editor.write(writer);
    const signature = committerOf(services, user);
    const message = old === null ? 'Initial commit' : 'Update snippet';
    const commit = { tree, parents: old === null ? [] : [old], author: signature, committer: signature, message };
    const id = await createCommit(writer, commit);
    await writer.flush({ checked: edits.some(({ path }) => isCheckedByGit(path)) });
    await checkFiles(await pathsBelow(git.objects(repo), tree));
    const moved = await git.updateRefs(repo, [{ ref: snippetRef, old, new: id }]);
    if (moved.status !== 'ok') throw new BranchNotMoved(`Could not update ${snippetRef}`, true);
  } catch (error) {
    await writer.discard();
    if (error instanceof TreeEditError)
      throw snippetError(`Repository Error committing the file: ${problemText(error)}`);
    if (error instanceof UnsoundObjectError)
      throw snippetError(`Repository Error committing the file: ${error.message}`);
    throw error;
  }
}

async function checkFiles(paths: readonly string[]): Promise<void> {
  if (paths.length > maxFiles) throw snippetError(`The repository can contain at most ${maxFiles} file(s).`);
  if (paths.length === 0) throw snippetError('The repository must contain at least 1 file.');
}

/** Path and content of a snippet file. */
export interface FileContent {
  readonly file_path: string;
  readonly content: string;
}

/** Current contents of the text files of a snippet; files above the size limit are left out. */
export async function fileContents({ git }: Services, repository: string): Promise<FileContent[]> {
  const repo = git.repository(repository);
  const objects = git.objects(repo);
  const head = await git.readRef(repo, snippetRef);
  const commit = head === null ? null : await objects.commit(head);
  const found: FileContent[] = [];
  for (const { path, oid } of commit ? await filesBelow(objects, commit.tree) : []) {
    const bytes = await objects.blob(oid).catch((error: unknown) => {
      if (error instanceof ObjectTooLargeError) return null;
      throw error;
    });
    if (bytes) found.push({ file_path: path, content: bytes.toString('utf8') });
  }
  return found;
}

/** The first file, for places that show only one; the content is null if it is too long. */
export async function firstFile({ git }: Services, { repository }: Pick<SnippetRow, 'repository'>, most: number) {
  const repo = git.repository(repository);
  const objects = git.objects(repo);
  const head = await git.readRef(repo, snippetRef);
  const commit = head === null ? null : await objects.commit(head);
  const [first] = commit ? await filesBelow(objects, commit.tree) : [];
  if (!first) return { name: null, content: null };
  const info = await objects.info(first.oid);
  const fits = info.status === 'found' && info.size <= most;
  const content = fits ? ((await objects.blob(first.oid))?.toString('utf8') ?? null) : null;
  return { name: first.path, content };
}
