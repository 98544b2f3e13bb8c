import type { DiffEntry } from './parse.ts';

const KIB = 1024;
const BYTES_PER_FILE = 5 * KIB;

/** Limits of a displayed diff. */
export interface DiffLimits {
  /** A patch of this size or larger is never shown. */
  readonly patchBytes: number;
  readonly files: number;
  readonly lines: number;
}

/** The documented defaults. */
export const DIFF_LIMITS: DiffLimits = { patchBytes: 200 * KIB, files: 1000, lines: 50_000 };

/** Files beyond these running totals are collapsed. */
const SAFE = { files: 100, lines: 5000, bytes: 100 * BYTES_PER_FILE } as const;

/** Options for applying the limits to a whole diff. */
export interface DiffLimitOptions {
  /** Shows every file that is not too large. */
  readonly expanded: boolean;
  readonly limits?: DiffLimits;
  readonly isGenerated?: (entry: DiffEntry) => boolean | Promise<boolean>;
}

/** A diff entry with its display state; the patch is empty when the file is collapsed or too large. */
export interface LimitedDiffEntry extends DiffEntry {
  readonly collapsed: boolean;
  readonly tooLarge: boolean;
  /** Undefined when it was not determined. */
  readonly generated: boolean | undefined;
}

/** Decides how each file is shown, from the file sizes alone. */
class DiffBudget {
  readonly #limits: DiffLimits;
  #files = 0;
  #lines = 0;
  #bytes = 0;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
  }

  /** `overflow` means: drop this file and end the list. */
  judge(
    file: Pick<DiffEntry, 'patchBytes' | 'patchLines'>,
    how: { readonly expanded: boolean; readonly generated: boolean },
  ): 'shown' | 'collapsed' | 'too_large' | 'overflow' {
    if (this.#files >= this.#limits.files) return 'overflow';
    const verdict = this.#verdict(file, how);
    this.#files++;
    if (verdict !== 'shown') return verdict;
    this.#lines += file.patchLines;
    this.#bytes += file.patchBytes;
    const over = this.#lines >= this.#limits.lines || this.#bytes >= this.#limits.files * BYTES_PER_FILE;
    return over ? 'overflow' : 'shown';
  }

  #verdict(
    file: Pick<DiffEntry, 'patchBytes' | 'patchLines'>,
    how: { readonly expanded: boolean; readonly generated: boolean },
  ): 'shown' | 'collapsed' | 'too_large' {
    if (file.patchBytes >= this.#limits.patchBytes) return 'too_large';
    if (how.expanded || file.patchLines === 0) return 'shown';
    if (file.patchBytes >= this.#limits.patchBytes / 10 || how.generated) return 'collapsed';
    const safe = this.#files < SAFE.files && this.#lines <= SAFE.lines && this.#bytes < SAFE.bytes;
    return safe ? 'shown' : 'collapsed';
  }
}

/**
 * Applies the limits to entries as they arrive. Ends, with `overflow` as the generator's return value, at the first
 * file that does not fit, so that the source can be stopped there. A diff of exactly one text file is always expanded.
 */
export async function* applyDiffLimits(
  entries: AsyncIterable<DiffEntry> | Iterable<DiffEntry>,
  options: DiffLimitOptions,
): AsyncGenerator<LimitedDiffEntry, { overflow: boolean }> {
  const budget = new DiffBudget(options.limits ?? DIFF_LIMITS);
  for await (const { entry, only } of withLoneFlag(entries)) {
    const lone = only && !entry.binary;
    const generated = await options.isGenerated?.(entry);
    const expanded = options.expanded || lone;
    const verdict = budget.judge(entry, { expanded, generated: generated ?? false });
    if (verdict === 'overflow') return { overflow: true };
    const patch = verdict === 'shown' ? entry.patch : Buffer.alloc(0);
    yield { ...entry, patch, collapsed: verdict === 'collapsed', tooLarge: verdict === 'too_large', generated };
  }
  return { overflow: false };
}

/** Marks whether the first entry is the only one, reading just one entry ahead. */
async function* withLoneFlag(
  entries: AsyncIterable<DiffEntry> | Iterable<DiffEntry>,
): AsyncGenerator<{ entry: DiffEntry; only: boolean }> {
  let held: DiffEntry | undefined;
  let count = 0;
  for await (const entry of entries) {
    if (held) yield { entry: held, only: false };
    held = entry;
    count++;
  }
  if (held) yield { entry: held, only: count === 1 };
}
