import { type GitOptions, type Repository, run } from '../process/command.ts';

const TIMEOUT_MS = 10 * 60_000;

/** Brings a commit, with everything that it reaches, from one repository of this server into another. */
export async function importCommit(
  source: Repository,
  target: Repository,
  commit: string,
  options: Pick<GitOptions, 'signal'> = {},
): Promise<void> {
  // Objects only, no ref: the caller is about to make one that reaches them.
  const flags = ['--quiet', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance'];
  await run(
    target,
    { name: 'fetch', flags, args: [source.path, commit] },
    {
      ...options,
      timeoutMs: TIMEOUT_MS,
      // The objects were checked when they were pushed; checking them again could only fail old but valid history.
      config: { 'protocol.file.allow': 'always', 'transfer.fsckObjects': 'false' },
    },
  );
}
