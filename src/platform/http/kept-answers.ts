import type { JsonAnswer } from './json.ts';

/** A question, with the answer if there is one, and the way to keep one. */
export interface Asked {
  readonly answer: JsonAnswer | undefined;
  keep(answer: JsonAnswer): void;
}

interface Kept {
  readonly answer: JsonAnswer;
  readonly until: number;
}

const longest = 256 * 1024;
const budget = 16 * 1024 * 1024;

/**
 * The answers of `steady` endpoints, kept until the next commit. Clients poll: most of what a forge is asked, it has
 * just been asked by the same caller. Who may see the answer is decided before this is looked at, each time.
 */
export class KeptAnswers {
  readonly #generation: () => object | undefined;
  /** Roles and shares end by the clock, without a commit: so no answer is older than this, in milliseconds. */
  readonly #longest: number;
  #current: object | undefined;
  #size = 0;
  readonly #kept = new Map<string, Kept>();

  /** `generation` gives the same object for as long as nothing was committed. */
  constructor(generation: () => object | undefined, longest = 1000) {
    this.#generation = generation;
    this.#longest = longest;
  }

  /** What is known of this question. */
  ask(key: string): Asked {
    const generation = this.#generation();
    if (generation !== this.#current) {
      this.#current = generation;
      this.#forget();
    }
    const kept = this.#kept.get(key);
    return {
      answer: kept && kept.until > performance.now() ? kept.answer : undefined,
      keep: (answer) => this.#keep(key, answer, generation),
    };
  }

  #keep(key: string, answer: JsonAnswer, generation: object | undefined): void {
    const current = this.#generation();
    // A commit while the answer was worked out: some of it may be from before.
    if (current === undefined || current !== generation || current !== this.#current) return;
    if (answer.body.length > longest) return;
    const size = key.length + answer.body.length;
    const before = this.#kept.get(key);
    if (before) this.#size -= key.length + before.answer.body.length;
    if (this.#size + size > budget) this.#forget();
    this.#size += size;
    this.#kept.set(key, { answer, until: performance.now() + this.#longest });
  }

  #forget(): void {
    this.#kept.clear();
    this.#size = 0;
  }
}
