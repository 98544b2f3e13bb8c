import { decodeText } from '../objects/text.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

type Limits = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** The best common ancestor of two or more commits; undefined when their histories do not meet. */
export async function mergeBase(
  repo: Repository,
  commits: readonly string[],
  options: Limits = {},
): Promise<string | undefined> {
  const flags = commits.length > 2 ? ['--octopus'] : [];
  const { stdout } = await run(repo, { name: 'merge-base', flags, args: commits }, { ...options, okCodes: [0, 1] });
  return stdout.toString('latin1').split('\n')[0] || undefined;
}

/** Whether a commit is the other one, or lies in its history. */
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

/** Full names of the refs below a prefix whose commit lies in the history of another, or is it. */
export function refsMergedInto(
  repo: Repository,
  commit: string,
  prefix = 'refs/heads/',
  options: Limits = {},
): AsyncGenerator<string, void> {
  return refNames(repo, [`--merged=${commit}`], [prefix], options);
}

/** Full names of the refs that have a commit in their history: branches first, then tags. */
export function refsContaining(
  repo: Repository,
  commit: string,
  prefixes: readonly string[] = ['refs/heads/', 'refs/tags/'],
  options: Limits = {},
): AsyncGenerator<string, void> {
  return refNames(repo, [`--contains=${commit}`], prefixes, options);
}

async function* refNames(
  repo: Repository,
  filter: readonly string[],
  prefixes: readonly string[],
  options: Limits,
): AsyncGenerator<string, void> {
  const command = { name: 'for-each-ref', flags: [...filter, '--format=%(refname)'], args: prefixes } as const;
  for await (const line of gitLines(repo, command, { timeoutMs: 30_000, ...options })) yield decodeText(line);
}
