import type { Git } from '../../../platform/git/git.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { pointerSized } from '../../../platform/git/objects/lfs-pointer.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { leadsTo, type QuarantinedObjects, readQuarantine } from '../../../platform/git/objects/quarantine.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { EMPTY_TREE } from '../../../platform/git/trees/tree.ts';
import type { RefChange } from '../push.ts';
import { type ChangedFile, changedFiles, newCommits, newSmallBlobs } from './new-objects.ts';
import { treeChanges } from './tree-changes.ts';

/** What a push brings into a repository, found out once and only as far as somebody asks. */
export class Brought {
  readonly objects: Objects;
  readonly #repo: Repository;
  readonly #changes: readonly RefChange[];
  #single: Promise<Commit | null> | undefined;
  #commitIds: Promise<string[]> | undefined;
  #loose: Promise<QuarantinedObjects | null> | undefined;

  constructor(git: Git, repo: Repository, changes: readonly RefChange[]) {
    this.#repo = repo;
    this.#changes = changes;
    this.objects = git.objects(repo);
  }

  get #tips(): string[] {
    return this.#changes.flatMap((change) => (change.new === null ? [] : [change.new]));
  }

  /** The commits that no ref led to before. */
  async commits(): Promise<Commit[]> {
    const single = await this.#onlyCommit();
    if (single) return [single];
    const commits = await this.objects.commits(await this.#ids());
    return commits.filter((commit) => commit !== null);
  }

  /** The files that these commits touch. */
  async *files(): AsyncGenerator<ChangedFile, void> {
    const single = await this.#onlyCommit();
    if (single) {
      const [parent] = single.parents;
      const base = parent === undefined ? null : await this.objects.commit(parent);
      const few = await treeChanges(this.objects, base?.tree ?? EMPTY_TREE, single.tree);
      if (few) yield* few;
      else yield* changedFiles(this.#repo, [single.oid]);
    } else if (this.#tips.length > 0) yield* changedFiles(this.#repo, await this.#ids());
  }

  /** The contents of the new blobs that have the size of an LFS pointer. */
  async *pointerSized(): AsyncGenerator<Buffer, void> {
    const quarantined = await this.#quarantined();
    if (quarantined) return yield* quarantined.pointerSized;
    const distinct = new Set<string>();
    if (await this.#onlyCommit()) {
      for await (const { blob } of this.files()) if (blob !== null) distinct.add(blob);
    } else if (this.#tips.length > 0) {
      // Collected first: a process that is being read from must not wait for another one.
      for await (const id of newSmallBlobs(this.#repo, this.#tips)) distinct.add(id);
    }
    const ids = [...distinct];
    for (let at = 0; at < ids.length; at += batch) {
      const infos = await Promise.all(ids.slice(at, at + batch).map((id) => this.objects.info(id)));
      for (const info of infos) {
        if (info.status !== 'found' || info.type !== 'blob' || !pointerSized(info.size)) continue;
        yield (await this.objects.blob(info.oid)) ?? Buffer.alloc(0);
      }
    }
  }

  /** Whether a change takes commits away that the ref had. */
  async losesHistory(change: RefChange): Promise<boolean> {
    const { old, new: now } = change;
    if (old === null || now === null) return false;
    const quarantined = await this.#quarantined();
    if (quarantined && leadsTo(quarantined, now, old)) return false;
    // A commit right on top, as the API makes them, is seen without starting a process.
    const tip = this.#repo.quarantine ? null : await this.objects.commit(now);
    return !tip?.parents.includes(old) && !(await isAncestor(this.#repo, old, now));
  }

  #quarantined(): Promise<QuarantinedObjects | null> {
    const { quarantine } = this.#repo;
    this.#loose ??= quarantine ? readQuarantine(quarantine.objectDirectory) : Promise.resolve(null);
    return this.#loose;
  }

  /** The one commit of a write of the API, which lies right on top of the ref; null for anything else. */
  #onlyCommit(): Promise<Commit | null> {
    this.#single ??= this.#findOnlyCommit();
    return this.#single;
  }

  async #findOnlyCommit(): Promise<Commit | null> {
    const [change, second] = this.#changes;
    // Pushed objects wait in a quarantine, whose reader would have to be started: git lists those itself.
    if (!change?.new || change.old === null || second || this.#repo.quarantine) return null;
    const commit = await this.objects.commit(change.new);
    return commit?.parents.length === 1 && commit.parents[0] === change.old ? commit : null;
  }

  #ids(): Promise<string[]> {
    this.#commitIds ??= this.#list();
    return this.#commitIds;
  }

  async #list(): Promise<string[]> {
    const ids: string[] = [];
    if (this.#tips.length > 0) for await (const id of newCommits(this.#repo, this.#tips)) ids.push(id);
    return ids;
  }
}

const batch = 500;
