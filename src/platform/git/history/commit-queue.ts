import type { Commit } from '../objects/commit.ts';

interface Item {
  readonly commit: Commit;
  readonly order: number;
}

/** Priority queue of commits, newest first; equal dates keep insertion order, as in git. */
export class CommitQueue {
  readonly #heap: Item[] = [];
  #count = 0;

  /** Returns the next commit without removing it. */
  peek(): Commit | undefined {
    return this.#heap[0]?.commit;
  }

  /** Whether a condition holds for all queued commits. */
  every(condition: (commit: Commit) => boolean): boolean {
    return this.#heap.every(({ commit }) => condition(commit));
  }

  push(commit: Commit): void {
    const item = { commit, order: this.#count++ };
    let at = this.#heap.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above];
      if (!parent || !before(item, parent)) break;
      this.#heap[at] = parent;
      at = above;
    }
    this.#heap[at] = item;
  }

  pop(): Commit | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (top && last && top !== last) this.#sink(last);
    return top?.commit;
  }

  #sink(item: Item): void {
    let at = 0;
    for (;;) {
      const left = this.#heap[2 * at + 1];
      const right = this.#heap[2 * at + 2];
      const best = left && right && before(right, left) ? right : left;
      if (!best || !before(best, item)) break;
      this.#heap[at] = best;
      at = 2 * at + (best === left ? 1 : 2);
    }
    this.#heap[at] = item;
  }
}

function before(a: Item, b: Item): boolean {
  const [dateA, dateB] = [a.commit.committer.seconds, b.commit.committer.seconds];
  return dateA === dateB ? a.order < b.order : dateA > dateB;
}
