import { type GitCommand, type GitOptions, type Repository, spawnGit } from './command.ts';

const NEWLINE = 10;

/**
 * Streams the output of a git process. Leaving the loop early kills the process; a failure is thrown at the end of its
 * output.
 */
export async function* gitOutput(
  repo: Repository,
  command: GitCommand,
  options: GitOptions = {},
): AsyncGenerator<Buffer, void> {
  const git = await spawnGit(repo, command, options);
  if (options.stdin === undefined) git.stdin.end();
  let complete = false;
  try {
    for await (const chunk of git.stdout) yield chunk as Buffer;
    complete = true;
    await git.done;
  } finally {
    if (!complete) {
      git.kill();
      // The process was killed on purpose: its exit code means nothing.
      await git.done.catch(() => {});
    }
  }
}

/**
 * The same, split at a separator byte (newline by default), which is not part of a line. A line that arrives in several
 * chunks is truncated at the maximum length of interest.
 */
export async function* gitLines(
  repo: Repository,
  command: GitCommand,
  options: GitOptions = {},
  separator = NEWLINE,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of gitOutput(repo, command, options)) {
    let start = 0;
    for (let end = chunk.indexOf(separator); end >= 0; end = chunk.indexOf(separator, start)) {
      const tail = chunk.subarray(start, end);
      yield parts.length > 0 ? Buffer.concat([...parts, tail]) : tail;
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start === chunk.length || length >= longest) continue;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
