import { decodeText } from '../objects/text.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

type Limits = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Returns the best common ancestor of two or more commits; undefined when their histories are unrelated. */
export async function mergeBase(
  repo: Repository,
  commits: readonly string[],
  options: Limits = {},
): Promise<string | undefined> {
  const flags = commits.length > 2 ? ['--octopus'] : [];
  const { stdout } = await run(repo, { name: 'merge-base', flags, args: commits }, { ...options, okCodes: [0, 1] });
  return stdout.toString('latin1').split('\n')[0] || undefined;
}

/** Whether a commit equals the other one or is in its history. */
export async function isAncestor(
  repo: Repository,
  ancestor: string,
  descendant: string,
  options: Limits = {},
): Promise<boolean> {
  const command = { name: 'merge-base', flags: ['--is-ancestor'], args: [ancestor, descendant] } as const;
  const { code } = await run(repo, command, { ...options, okCodes: [0, 1] });
  return code === 0;
}

/** Yields the full names of refs below the prefixes that contain a commit. */
export async function* refsContaining(
  repo: Repository,
  commit: string,
  prefixes: readonly string[],
  options: Limits = {},
): AsyncGenerator<string, void> {
  const flags = [`--contains=${commit}`, '--format=%(refname)'];
  const command = { name: 'for-each-ref', flags, args: prefixes } as const;
  for await (const line of gitLines(repo, command, { timeoutMs: 30_000, ...options })) yield decodeText(line);
}
