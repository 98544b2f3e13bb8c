import { open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitCommand, type GitOptions, type Repository, run } from '../process/command.ts';
import { discardExpiringPacks, linkExpiringPacks, resetPackAges, restoreExpiringPacks } from './housekeeping-limbo.ts';
import { type HousekeepingAction, planHousekeeping } from './housekeeping-plan.ts';
import { COMMIT_GRAPH_MARK, FULL_REPACK_MARK, removeStaleFiles, repositoryState } from './housekeeping-state.ts';

/** The steps performed, or that another run was in progress. */
export interface HousekeepingResult {
  readonly busy: boolean;
  readonly done: readonly HousekeepingAction[];
  /** Whether refs needed objects that were about to expire, which were restored. */
  readonly restored: boolean;
}

/** Cancellation, and the current time for tests. */
export interface HousekeepingOptions extends Pick<GitOptions, 'signal'> {
  readonly now?: number;
  /** Overrides the steps derived from the state of the repository. */
  readonly actions?: readonly HousekeepingAction[];
}

const TIMEOUT_MS = 2 * 60 * 60_000;
const STALE_LOCK_MS = 6 * 60 * 60_000;
/** Grace period of unreachable objects. */
const GRACE_MS = 14 * 24 * 60 * 60_000;

const GEOMETRIC: GitCommand = {
  name: 'repack',
  flags: ['-d', '-q', '--geometric=2', '--write-midx', '--write-bitmap-index'],
};
/**
 * Keeps a repository fast and small. May run concurrently with readers, pushes and API writes: objects are only ever
 * moved between packs, and expire two weeks after they were first found unreachable.
 */
export async function housekeep(repo: Repository, options: HousekeepingOptions = {}): Promise<HousekeepingResult> {
  const now = options.now ?? Date.now();
  const limits = { timeoutMs: TIMEOUT_MS, signal: options.signal };
  if (!(await takeLock(repo))) return { busy: true, done: [], restored: false };
  try {
    await removeStaleFiles(repo, now);
    const actions = options.actions ?? planHousekeeping(await repositoryState(repo), now);
    let restored = false;
    for (const action of actions) {
      if (action === 'pack-refs') await run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] }, limits);
      else if (action === 'geometric-repack') await run(repo, GEOMETRIC, limits);
      else if (action === 'full-repack') restored = await fullRepack(repo, now, limits);
      else await writeCommitGraph(repo, actions.includes('full-repack'), limits);
    }
    return { busy: false, done: actions, restored };
  } finally {
    await rm(lockPath(repo), { force: true });
  }
}

async function fullRepack(
  repo: Repository,
  now: number,
  limits: Pick<GitOptions, 'signal' | 'timeoutMs'>,
): Promise<boolean> {
  const before = await restoreExpiringPacks(repo, limits);
  await discardExpiringPacks(repo);
  // Packs loose objects first, so that all objects restart their grace period together.
  await run(repo, GEOMETRIC, limits);
  await resetPackAges(repo, now);
  await linkExpiringPacks(repo);
  await run(repo, fullCommand(now - GRACE_MS), limits);
  const after = await restoreExpiringPacks(repo, limits);
  await writeFile(join(repo.path, FULL_REPACK_MARK), '');
  return before || after;
}

function fullCommand(expireBefore: number): GitCommand {
  const expiration = `--cruft-expiration=@${Math.floor(expireBefore / 1000)} +0000`;
  return { name: 'repack', flags: ['-d', '-q', '--cruft', expiration, '--write-bitmap-index'] };
}

async function writeCommitGraph(
  repo: Repository,
  replace: boolean,
  limits: Pick<GitOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  // Layers may refer to expired commits, so the graph is rebuilt after a full repack.
  const split = replace ? '--split=replace' : '--split';
  const flags = ['--reachable', '--changed-paths', split, '--no-progress'];
  await run(repo, { name: 'commit-graph', verb: 'write', flags }, limits);
  await writeFile(join(repo.path, COMMIT_GRAPH_MARK), '');
}

function lockPath(repo: Repository): string {
  return join(repo.path, 'hearth-housekeeping.lock');
}

async function takeLock(repo: Repository): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await (await open(lockPath(repo), 'wx')).close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A lock older than every time limit belongs to a process that no longer exists.
      const taken = await stat(lockPath(repo)).catch(() => undefined);
      if (taken && Date.now() - taken.mtimeMs < STALE_LOCK_MS) return false;
      await rm(lockPath(repo), { force: true });
    }
  }
  return false;
}
