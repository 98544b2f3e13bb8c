import { parseTrailers } from '../../platform/git/history/trailers.ts';
import { type Commit, commitTitle } from '../../platform/git/objects/commit.ts';

/** A commit that a changelog tells of. */
export interface Listed {
  readonly commit: Commit;
  /** The value of the trailer: the key of its category. */
  readonly category: string;
  readonly trailers: Readonly<Record<string, string>>;
}

const reverts = /^This reverts commit ([0-9a-f]{40})/gim;

/**
 * Picks what a changelog tells of out of commits that come newest first: those with the trailer, but for those that a
 * later one reverts. A revert that was itself reverted hides nothing.
 */
export class History {
  readonly listed: Listed[] = [];
  readonly #trailer: string;
  readonly #reverted = new Set<string>();

  constructor(trailer: string) {
    this.#trailer = trailer;
  }

  add(commit: Commit): void {
    if (this.#reverted.has(commit.oid)) return;
    for (const [, oid = ''] of commit.message.matchAll(reverts)) this.#reverted.add(oid.toLowerCase());
    const trailers = Object.fromEntries(parseTrailers(commit.message).map(({ key, value }) => [key, value]));
    const category = Object.hasOwn(trailers, this.#trailer) ? trailers[this.#trailer] : undefined;
    if (category) this.listed.push({ commit, category, trailers });
  }
}

const longTitle = 100;
const cutTitle = 78;

/** The title of a commit as changelogs show it: a long one is cut at a word. */
export function shortTitle(message: string): string {
  const title = commitTitle(message) || 'No commit message';
  const characters = [...title];
  if (characters.length < longTitle) return title;
  const space = characters.lastIndexOf(' ', cutTitle);
  return `${characters.slice(0, space > 0 ? space : cutTitle).join('')}...`;
}
