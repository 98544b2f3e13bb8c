import { parseTrailers } from '../../platform/git/history/trailers.ts';
import { type Commit, commitTitle } from '../../platform/git/objects/commit.ts';

/** A commit to list in a changelog. */
export interface ChangelogCommit {
  readonly commit: Commit;
  /** The value of the changelog trailer, which is the key of the category. */
  readonly category: string;
  readonly trailers: Readonly<Record<string, string>>;
}

const reverts = /^This reverts commit ([0-9a-f]{40})/gim;

/**
 * Collects the commits to list from a history that is added newest first: those with the trailer that no later commit
 * reverts. A revert that was itself reverted has no effect.
 */
export class History {
  readonly listed: ChangelogCommit[] = [];
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

/** The title of a commit as shown in changelogs; long titles are cut at a word boundary. */
export function shortTitle(message: string): string {
  const title = commitTitle(message) || 'No commit message';
  const characters = [...title];
  if (characters.length < longTitle) return title;
  const space = characters.lastIndexOf(' ', cutTitle);
  return `${characters.slice(0, space > 0 ? space : cutTitle).join('')}...`;
}
