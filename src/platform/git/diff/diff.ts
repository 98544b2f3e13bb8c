import type { GitOptions, Repository } from '../process/command.ts';
import { gitOutput } from '../process/output.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { applyDiffLimits, DIFF_LIMITS, type DiffLimitOptions, type LimitedDiffEntry } from './limits.ts';
import { type DiffEntry, DiffParser } from './parse.ts';

/** What to compare. */
export interface DiffQuery {
  /** Commit or tree; undefined compares with nothing, as for a root commit. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Time limit and cancellation of one comparison. */
export type DiffOptions = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Where patches come from: what git prints of them. */
export type PatchSource = (query: DiffQuery, options: DiffOptions) => AsyncIterable<Buffer>;

/** As much of a comparison as the limits let through. */
export interface LimitedDiff {
  readonly entries: LimitedDiffEntry[];
  /** Something had to be left out. */
  readonly overflow: boolean;
}

/** Added and removed lines. */
export interface DiffStats {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

const TIMEOUT_MS = 30_000;
// Nothing of a repository may choose a program (external diff, text conversion) or another form of output.
const FORCED = ['-r', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none', '--submodule=short'];
const RENAMES = ['-M', '-l1000'];
const PATCH = ['--raw', '-p', '--full-index', '--no-abbrev', '--src-prefix=a/', '--dst-prefix=b/'];
const MAX_CHANGES = 1_000_000;

/** The flags by which `git diff-tree` prints patches. */
export const PATCH_FLAGS: readonly string[] = [...FORCED, ...RENAMES, ...PATCH];

/** The files that differ, one after another with their patches; patches above the limit are counted, not kept. */
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
  const patches = source ?? ((asked, within) => patchOutput(repo, asked, within));
  for await (const chunk of patches(query, { timeoutMs: TIMEOUT_MS, ...limits })) {
    yield* parser.push(chunk);
    if (parser.overrun) return;
  }
  yield* parser.end();
}

/** The patches of a comparison as a process of its own prints them. */
export function patchOutput(repo: Repository, query: DiffQuery, options: DiffOptions): AsyncGenerator<Buffer, void> {
  const command = { name: 'diff-tree', flags: PATCH_FLAGS, args: [query.from ?? EMPTY_TREE, query.to] } as const;
  return gitOutput(repo, command, options);
}

/** A comparison as `git diff` prints it. */
export function plainPatch(repo: Repository, query: DiffQuery, options: DiffOptions): AsyncGenerator<Buffer, void> {
  const flags = PATCH_FLAGS.filter((flag) => flag !== '--raw' && flag !== '--no-abbrev');
  const command = { name: 'diff-tree', flags, args: [query.from ?? EMPTY_TREE, query.to] } as const;
  return gitOutput(repo, command, { timeoutMs: TIMEOUT_MS, ...options });
}

/** The same under the documented limits; git is stopped at the first file that does not fit. */
export async function limitedDiff(
  repo: Repository,
  query: DiffQuery,
  limits: DiffLimitOptions,
  options: DiffOptions & { readonly source?: PatchSource } = {},
): Promise<LimitedDiff> {
  const { patchBytes, files } = limits.limits ?? DIFF_LIMITS;
  const most = { maxPatchBytes: patchBytes, maxChanges: files + 1 };
  const limited = applyDiffLimits(diff(repo, query, { ...options, ...most }), limits);
  const entries: LimitedDiffEntry[] = [];
  for (;;) {
    const step = await limited.next();
    if (step.done) return { entries, overflow: step.value.overflow };
    entries.push(step.value);
  }
}

/** Reads the line ` 2 files changed, 3 insertions(+), 1 deletion(-)`; absent parts are 0. */
export function parseShortStat(line: string): DiffStats {
  const count = (what: RegExp) => Number(what.exec(line)?.[1] ?? 0);
  return {
    files: count(/(?<!\d)(\d+) files? changed/),
    additions: count(/(?<!\d)(\d+) insertions?\(\+\)/),
    deletions: count(/(?<!\d)(\d+) deletions?\(-\)/),
  };
}
