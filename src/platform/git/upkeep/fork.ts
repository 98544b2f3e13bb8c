import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { publish } from '../objects/durable.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { gitLines } from '../process/output.ts';
import { transactionInput } from '../refs/update.ts';
import { createRepository } from '../repository.ts';
import { linkObjects } from './fork-objects.ts';

/** Options of a fork. */
export interface ForkOptions extends Pick<GitOptions, 'signal'> {
  /** The branch that HEAD of the fork points to. */
  readonly defaultBranch: string;
  /** Only these branches, and the tags in their history; all branches and tags by default. */
  readonly branches?: readonly string[];
}

const TIMEOUT_MS = 2 * 60 * 60_000;

/**
 * Copies a repository atomically. Objects are shared by hard links rather than alternates: the copy takes no space, and
 * neither deleting nor repacking one side can remove an object from the other.
 */
export async function forkRepository(source: Repository, path: string, options: ForkOptions): Promise<Repository> {
  const temporary = `${path}+fork-${randomUUID()}`;
  try {
    const fork = await createRepository(temporary, { defaultBranch: options.defaultBranch });
    if (options.branches) await fetchBranches(source, fork, options.branches, options.signal);
    else await copyEverything(source, fork, options.signal);
    await publish(temporary, path);
    return { path };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function copyEverything(source: Repository, fork: Repository, signal: AbortSignal | undefined): Promise<void> {
  // Refs are read first: the objects they reach are then among those linked afterwards, because objects are only ever
  // moved.
  const updates = await Array.fromAsync(branchesAndTags(source, signal));
  await linkObjects(source, fork, { signal });
  if (updates.length === 0) return;
  const stdin = Buffer.from(transactionInput(updates), 'latin1');
  await run(fork, { name: 'update-ref', flags: ['--stdin', '-z'] }, { stdin, signal, timeoutMs: TIMEOUT_MS });
  await run(fork, { name: 'pack-refs', flags: ['--all', '--prune'] }, { signal, timeoutMs: TIMEOUT_MS });
}

async function fetchBranches(
  source: Repository,
  fork: Repository,
  branches: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  // Fetches a pack of what these branches reach, so objects of other branches are not copied.
  const refspecs = branches.map((branch) => `refs/heads/${branch}:refs/heads/${branch}`);
  await run(
    fork,
    { name: 'fetch', flags: ['--quiet', '--no-write-fetch-head', '--atomic'], args: [source.path, ...refspecs] },
    {
      signal,
      timeoutMs: TIMEOUT_MS,
      // The objects were checked when they were pushed; checking again could only reject old but valid history.
      config: { 'protocol.file.allow': 'always', 'transfer.fsckObjects': 'false' },
    },
  );
}

async function* branchesAndTags(
  repo: Repository,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ ref: string; new: string; old: null }, void> {
  const command = {
    name: 'for-each-ref',
    flags: ['--format=%(objectname) %(refname)'],
    args: ['refs/heads/', 'refs/tags/'],
  } as const;
  for await (const line of gitLines(repo, command, { signal, timeoutMs: TIMEOUT_MS })) {
    const text = line.toString('latin1');
    const space = text.indexOf(' ');
    yield { ref: text.slice(space + 1), new: text.slice(0, space), old: null };
  }
}
