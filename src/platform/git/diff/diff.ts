import { type GitCommand, type GitOptions, type Repository, run } from '../process/command.ts';
import { gitOutput } from '../process/output.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { applyDiffLimits, DIFF_LIMITS, type DiffLimitOptions, type LimitedDiffEntry } from './limits.ts';
import { type Change, type DiffEntry, DiffParser } from './parse.ts';

/** What to compare. */
export interface DiffQuery {
  /** Commit or tree; undefined compares with nothing, as for a root commit. */
  readonly from: string | undefined;
  readonly to: string;
  /** Only these paths, taken literally. */
  readonly paths?: readonly string[];
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
  return gitOutput(repo, diffTree(query, PATCH), options);
}

/** The same under the documented limits; git is stopped at the first file that does not fit. */
export async function limitedDiff(
  repo: Repository,
  query: DiffQuery,
  limits: DiffLimitOptions,
  options: DiffOptions & { readonly source?: PatchSource } = {},
): Promise<LimitedDiff> {
  const { patchBytes, files } = limits.limits ?? DIFF_LIMITS;
  const maxChanges = limits.unlimited ? MAX_CHANGES : files + 1;
  const limited = applyDiffLimits(diff(repo, query, { ...options, maxPatchBytes: patchBytes, maxChanges }), limits);
  const entries: LimitedDiffEntry[] = [];
  for (;;) {
    const step = await limited.next();
    if (step.done) return { entries, overflow: step.value.overflow };
    entries.push(step.value);
  }
}

/** The files that differ, without their patches. */
export async function* changes(
  repo: Repository,
  query: DiffQuery,
  options: DiffOptions & { readonly renames?: boolean } = {},
): AsyncGenerator<Change, void> {
  const { renames = true, ...limits } = options;
  const parser = new DiffParser({ maxPatchBytes: 0, maxChanges: MAX_CHANGES });
  const command = diffTree(query, ['--raw', '--no-abbrev'], renames);
  for await (const chunk of gitOutput(repo, command, { timeoutMs: TIMEOUT_MS, ...limits })) {
    parser.push(chunk);
    yield* parser.takeChanges();
  }
  parser.end();
  yield* parser.takeChanges();
}

/** How many files, added and removed lines. */
export async function diffStats(repo: Repository, query: DiffQuery, options: DiffOptions = {}): Promise<DiffStats> {
  const { stdout } = await run(repo, diffTree(query, ['--shortstat']), { timeoutMs: TIMEOUT_MS, ...options });
  return parseShortStat(stdout.toString('latin1'));
}

/** Reads the line ` 2 files changed, 3 insertions(+), 1 deletion(-)`; absent parts are 0. */
export function parseShortStat(line: string): DiffStats {
  const count = (what: RegExp) => Number(what.exec(line)?.[1] ?? 0);
  return {
    files: count(/(\d+) files? changed/),
    additions: count(/(\d+) insertions?\(\+\)/),
    deletions: count(/(\d+) deletions?\(-\)/),
  };
}

function diffTree(query: DiffQuery, output: readonly string[], renames = true): GitCommand {
  return {
    name: 'diff-tree',
    flags: [...FORCED, ...(renames ? RENAMES : ['--no-renames']), ...output],
    args: [query.from ?? EMPTY_TREE, query.to],
    paths: query.paths ?? [],
  };
}
