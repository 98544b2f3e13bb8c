import { type GitOptions, type Repository, run } from '../process/command.ts';

const TIMEOUT_MS = 10 * 60_000;

/** Copies a commit and everything reachable from it from one repository of this server to another. */
export async function importCommit(
  source: Repository,
  target: Repository,
  commit: string,
  options: Pick<GitOptions, 'signal'> = {},
): Promise<void> {
  // Transfers objects only, no ref: the caller creates a ref that reaches them.
  const flags = ['--quiet', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance'];
  await run(
    target,
    { name: 'fetch', flags, args: [source.path, commit] },
    {
      ...options,
      timeoutMs: TIMEOUT_MS,
      // The objects were checked when they were pushed; checking again could only reject old but valid history.
      config: { 'protocol.file.allow': 'always', 'transfer.fsckObjects': 'false' },
    },
  );
}
