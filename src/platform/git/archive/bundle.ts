import { gitOutput } from '../process/output.ts';
import type { Ref } from '../refs/packed-refs.ts';
import type { Repository } from '../repository.ts';

const packMs = 3 * 60 * 60_000;

/** Streams the refs and everything reachable from them as one bundle: a file that git can clone from. */
export async function* bundleOf(
  repo: Repository,
  refs: readonly Ref[],
  head: string | null,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const first = refs.find(({ name }) => name === head);
  const lines = [...(first ? [`${first.oid} HEAD`] : []), ...refs.map(({ oid, name }) => `${oid} ${name}`)];
  yield Buffer.from(`# v2 git bundle\n${lines.join('\n')}\n\n`);
  const stdin = `${[...new Set(refs.map(({ oid }) => oid))].join('\n')}\n`;
  const flags = ['--revs', '--stdout', '--delta-base-offset', '-q'];
  yield* gitOutput(repo, { name: 'pack-objects', flags }, { stdin, signal, timeoutMs: packMs });
}
