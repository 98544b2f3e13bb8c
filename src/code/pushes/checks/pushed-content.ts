import type { Git } from '../../../platform/git/git.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import { nearMergeBase } from '../../../platform/git/history/near-merge-base.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { canBeLfsPointer } from '../../../platform/git/objects/lfs-pointer.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { descendsFrom, type QuarantinedObjects, readQuarantine } from '../../../platform/git/objects/quarantine.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { EMPTY_TREE } from '../../../platform/git/trees/tree.ts';
import type { PushRequest, RefChange } from '../push.ts';
import { type ChangedFile, changedFiles, newCommits, newSmallBlobs } from './new-objects.ts';
import { treeChanges } from './tree-changes.ts';

/** The new objects of a push, computed lazily and at most once. */
export class PushedContent {
  readonly objects: Objects;
  readonly #repo: Repository;
  readonly #changes: readonly RefChange[];
  readonly #known: readonly string[];
  #few: Promise<readonly Commit[] | null> | undefined;
  #commitIds: Promise<string[]> | undefined;
  #loose: Promise<QuarantinedObjects | null> | undefined;

  constructor(git: Git, repo: Repository, { changes, known = [] }: Pick<PushRequest, 'changes' | 'known'>) {
    this.#repo = repo;
    this.#changes = changes;
    this.#known = known;
    this.objects = git.objects(repo);
  }

  get #tips(): string[] {
    return this.#changes.flatMap((change) => (change.new === null ? [] : [change.new]));
  }

  /** The new commits, i.e. those that no existing ref reaches. */
  async commits(): Promise<Commit[]> {
    const few = await this.#fewCommits();
    if (few) return [...few];
    const commits = await this.objects.commits(await this.#ids());
    return commits.filter((commit) => commit !== null);
  }

  /** The files changed by the new commits. */
  async *files(): AsyncGenerator<ChangedFile, void> {
    const few = await this.#fewCommits();
    if (few) {
      for (const commit of few) {
        const [parent] = await this.objects.commits(commit.parents.slice(0, 1));
        const changes = await treeChanges(this.objects, parent?.tree ?? EMPTY_TREE, commit.tree);
        if (changes) yield* changes;
        else yield* changedFiles(this.#repo, [commit.oid]);
      }
    } else if (this.#tips.length > 0) yield* changedFiles(this.#repo, await this.#ids());
  }

  /** The contents of new blobs with the size of an LFS pointer. */
  async *pointerSized(): AsyncGenerator<Buffer, void> {
    const quarantined = await this.#quarantined();
    if (quarantined) return yield* quarantined.pointerSized;
    const distinct = new Set<string>();
    const few = await this.#fewCommits();
    if (few) {
      for (const commit of few) for await (const blob of this.#newBlobs(commit)) distinct.add(blob);
    } else if (this.#tips.length > 0) {
      // Collect all IDs first: a process must not block on its output while another one is started.
      for await (const id of newSmallBlobs(this.#repo, this.#tips)) distinct.add(id);
    }
    const ids = [...distinct];
    for (let at = 0; at < ids.length; at += batch) {
      const infos = await Promise.all(ids.slice(at, at + batch).map((id) => this.objects.info(id)));
      for (const info of infos) {
        if (info.status !== 'found' || info.type !== 'blob' || !canBeLfsPointer(info.size)) continue;
        yield (await this.objects.blob(info.oid)) ?? Buffer.alloc(0);
      }
    }
  }

  /** Whether a ref update drops commits from the ref's history. */
  async losesHistory(change: RefChange): Promise<boolean> {
    const { old, new: now } = change;
    if (old === null || now === null) return false;
    const quarantined = await this.#quarantined();
    if (quarantined && descendsFrom(quarantined, now, old)) return false;
    // Small fast-forwards, as created by the API, are detected without starting a process.
    const near = this.#repo.quarantine ? undefined : await nearMergeBase(this.objects, old, now);
    return near === undefined ? !(await isAncestor(this.#repo, old, now)) : near !== old;
  }

  #quarantined(): Promise<QuarantinedObjects | null> {
    const { quarantine } = this.#repo;
    this.#loose ??= quarantine ? readQuarantine(quarantine.objectDirectory) : Promise.resolve(null);
    return this.#loose;
  }

  /**
   * Returns the blobs of a commit that differ from its first parent and from all known commits. For a merge commit
   * these are few, regardless of the size of the source branch.
   */
  async *#newBlobs({ oid, tree, parents }: Commit): AsyncGenerator<string, void> {
    const before = await this.objects.commits([...this.#known, ...parents.slice(0, 1)]);
    const trees = before.flatMap((commit) => commit?.tree ?? []);
    for await (const { path, blob } of this.#changesSinceOne(oid, tree, trees)) {
      if (blob !== null && (trees.length === 1 || !(await this.#hasAny(trees, path, blob)))) yield blob;
    }
  }

  async *#changesSinceOne(oid: string, tree: string, trees: readonly string[]): AsyncGenerator<ChangedFile, void> {
    for (const before of trees) {
      const changes = await treeChanges(this.objects, before, tree);
      if (changes) return yield* changes;
    }
    yield* changedFiles(this.#repo, [oid]);
  }

  async #hasAny(trees: readonly string[], path: string, blob: string): Promise<boolean> {
    for (const tree of trees) if ((await this.objects.entryAt(tree, path))?.oid === blob) return true;
    return false;
  }

  /**
   * Returns the commits of an API write, which are directly on top of the old tip or of known commits; null for any
   * other push.
   */
  #fewCommits(): Promise<readonly Commit[] | null> {
    this.#few ??= this.#findFew();
    return this.#few;
  }

  async #findFew(): Promise<readonly Commit[] | null> {
    const [change, second] = this.#changes;
    // Reading quarantined objects would need a separate reader process, so these are listed by git itself.
    if (!change?.new || change.old === null || second || this.#repo.quarantine) return null;
    const seen = new Set([change.old, ...this.#known]);
    const found: Commit[] = [];
    const waiting = [change.new];
    for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
      if (seen.has(oid)) continue;
      seen.add(oid);
      const commit = await this.objects.commit(oid);
      // A root commit is not on top of anything.
      if (!commit || commit.parents.length === 0 || found.length === maxFew) return null;
      found.push(commit);
      waiting.push(...commit.parents);
    }
    return found;
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
/** A merge with squash creates two commits. */
const maxFew = 2;
