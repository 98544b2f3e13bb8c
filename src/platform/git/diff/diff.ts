import type { GitOptions, Repository } from '../process/command.ts';
import { gitOutput } from '../process/output.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { applyDiffLimits, DIFF_LIMITS, type DiffLimitOptions, type LimitedDiffEntry } from './limits.ts';
import { type DiffEntry, DiffParser } from './parse.ts';

/** The two sides of a comparison. */
export interface DiffQuery {
  /** Commit or tree; undefined compares with the empty tree, as for a root commit. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Time limit and cancellation of one comparison. */
export type DiffOptions = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Produces the raw patch output of git for a comparison. */
export type PatchSource = (query: DiffQuery, options: DiffOptions) => AsyncIterable<Buffer>;

/** The part of a comparison that fits into the limits. */
export interface LimitedDiff {
  readonly entries: LimitedDiffEntry[];
  /** Whether entries were left out. */
  readonly overflow: boolean;
}

/** Added and removed lines. */
export interface DiffStats {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

const TIMEOUT_MS = 30_000;
// Repository content must not select a program (external diff, text conversion) or change the output format.
const FORCED = ['-r', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none', '--submodule=short'];
const RENAMES = ['-M', '-l1000'];
const PATCH = ['--raw', '-p', '--full-index', '--no-abbrev', '--src-prefix=a/', '--dst-prefix=b/'];
const MAX_CHANGES = 1_000_000;

/** Flags that make `git diff-tree` print patches. */
export const PATCH_FLAGS: readonly string[] = [...FORCED, ...RENAMES, ...PATCH];

/** Yields the changed files with their patches. Patches above the size limit are counted but dropped. */
export async function* diff(
  repo: Repository,
  query: DiffQuery,
  options: DiffOptions & {
    readonly maxPatchBytes?: number;
    readonly maxChanges?: number;
    readonly source?: PatchSource;
  } = {},
): AsyncGenerator<DiffEntry, void> {
  const { maxPatchBytes = DIFF_LIMITS.patchBytes, maxChanges = MAX_CHANGES, source, ...limits } = options;
  const parser = new DiffParser({ maxPatchBytes, maxChanges });
  const patches = source ?? ((trees, within) => patchOutput(repo, trees, within));
  for await (const chunk of patches(query, { timeoutMs: TIMEOUT_MS, ...limits })) {
    yield* parser.push(chunk);
    if (parser.overrun) return;
  }
  yield* parser.end();
}

/** Prints the patches of a comparison with a new process. */
export function patchOutput(repo: Repository, query: DiffQuery, options: DiffOptions): AsyncGenerator<Buffer, void> {
  const command = { name: 'diff-tree', flags: PATCH_FLAGS, args: [query.from ?? EMPTY_TREE, query.to] } as const;
  return gitOutput(repo, command, options);
}

/** Prints a comparison in the format of `git diff`. */
export function plainPatch(repo: Repository, query: DiffQuery, options: DiffOptions): AsyncGenerator<Buffer, void> {
  const flags = PATCH_FLAGS.filter((flag) => flag !== '--raw' && flag !== '--no-abbrev');
  const command = { name: 'diff-tree', flags, args: [query.from ?? EMPTY_TREE, query.to] } as const;
  return gitOutput(repo, command, { timeoutMs: TIMEOUT_MS, ...options });
}

/** Returns a comparison under the documented limits; git is stopped at the first file that does not fit. */
export async function limitedDiff(
  repo: Repository,
  query: DiffQuery,
  limits: DiffLimitOptions,
  options: DiffOptions & { readonly source?: PatchSource } = {},
): Promise<LimitedDiff> {
  const { patchBytes, files } = limits.limits ?? DIFF_LIMITS;
  const parserLimits = { maxPatchBytes: patchBytes, maxChanges: files + 1 };
  const limited = applyDiffLimits(diff(repo, query, { ...options, ...parserLimits }), limits);
  const entries: LimitedDiffEntry[] = [];
  for (;;) {
    const step = await limited.next();
    if (step.done) return { entries, overflow: step.value.overflow };
    entries.push(step.value);
  }
}

/** Parses the line ` 2 files changed, 3 insertions(+), 1 deletion(-)`; absent parts are 0. */
export function parseShortStat(line: string): DiffStats {
  const count = (pattern: RegExp) => Number(pattern.exec(line)?.[1] ?? 0);
  return {
    files: count(/(?<!\d)(\d+) files? changed/),
    additions: count(/(?<!\d)(\d+) insertions?\(\+\)/),
    deletions: count(/(?<!\d)(\d+) deletions?\(-\)/),
  };
}
