import { type GitOptions, type Repository, run } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import type { RefUpdate } from '../refs/update.ts';
import type { Connection } from './connection.ts';

type Limits = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Refs of a remote repository. */
export interface RemoteRefs {
  /** Object ids by full ref name. */
  readonly refs: ReadonlyMap<string, string>;
  /** The branch that HEAD points to. */
  readonly head: string | null;
}

const ASK_TIMEOUT_MS = 60_000;
const TRANSFER_TIMEOUT_MS = 3 * 60 * 60_000;
const REFS_AT_ONCE = 100;

/** Lists the refs of a remote repository, without peeled tags. */
export async function listRemote(repo: Repository, { url, options }: Connection, limits: Limits): Promise<RemoteRefs> {
  const command = { name: 'ls-remote', flags: ['--symref'], args: [url] } as const;
  const { stdout } = await run(repo, command, { timeoutMs: ASK_TIMEOUT_MS, ...limits, ...options });
  const refs = new Map<string, string>();
  let head: string | null = null;
  for (const line of stdout.toString('utf8').split('\n')) {
    const [left = '', name = ''] = line.split('\t');
    if (name === 'HEAD') head = /^ref: refs\/heads\/(.+)$/.exec(left)?.[1] ?? head;
    else if (name.startsWith('refs/') && !name.endsWith('^{}')) refs.set(name, left);
  }
  return { refs, head };
}

/** A ref update rejected by the remote. */
export interface RejectedRef {
  readonly ref: string;
  readonly reason: string;
}

/**
 * Updates refs of a remote repository, each only if it still has its expected value (`old`), even if that overwrites
 * history. Returns the rejected updates; throws when the remote cannot be reached.
 */
export async function pushRefs(
  repo: Repository,
  connection: Connection,
  updates: readonly RefUpdate[],
  limits: Limits,
): Promise<RejectedRef[]> {
  const rejected: RejectedRef[] = [];
  for (let at = 0; at < updates.length; at += REFS_AT_ONCE) {
    rejected.push(...(await pushSome(repo, connection, updates.slice(at, at + REFS_AT_ONCE), limits)));
  }
  return rejected;
}

async function pushSome(
  repo: Repository,
  { url, options }: Connection,
  updates: readonly RefUpdate[],
  limits: Limits,
): Promise<RejectedRef[]> {
  const leases = updates.map(({ ref, old }) => `--force-with-lease=${ref}:${old ?? ''}`);
  const refspecs = updates.map(({ ref, new: id }) => `${id ?? ''}:${ref}`);
  const flags = ['--porcelain', '--no-verify', ...leases];
  const runOptions = { timeoutMs: TRANSFER_TIMEOUT_MS, ...limits, ...options, okCodes: [0, 1] };
  const { code, stdout, stderr } = await run(repo, { name: 'push', flags, args: [url, ...refspecs] }, runOptions);
  const rejected = stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => readRejection(line) ?? []);
  // A connection that breaks midway also ends with code 1.
  if (code !== 0 && rejected.length === 0) throw new GitError(`git push ended with code ${code}`, { code, stderr });
  return rejected;
}

function readRejection(line: string): RejectedRef | undefined {
  const [flag, refs = '', reason = ''] = line.split('\t');
  return flag === '!' ? { ref: refs.slice(refs.lastIndexOf(':') + 1), reason } : undefined;
}

/** Fetches refs of a remote repository by refspec; a plus in front forces the update. */
export async function fetchRefs(
  repo: Repository,
  { url, options }: Connection,
  refspecs: readonly string[],
  { prune = false, ...limits }: Limits & { prune?: boolean } = {},
): Promise<void> {
  const flags = ['--quiet', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance', '--no-recurse-submodules'];
  const command = { name: 'fetch', flags: prune ? [...flags, '--prune'] : flags, args: [url, ...refspecs] } as const;
  await run(repo, command, { timeoutMs: TRANSFER_TIMEOUT_MS, ...limits, ...options });
}

/** Returns git's own error message of a failed transfer. */
export function failureOf(error: GitError): string {
  const lines = error.stderr.split('\n').filter((line) => line.trim() !== '' && !/^(?:To|From) /.test(line));
  return lines.slice(-10).join('\n') || error.message;
}
