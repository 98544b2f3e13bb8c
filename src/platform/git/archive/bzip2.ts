import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';

/** Thrown when the server lacks the program that writes this format. */
export class ArchiveFormatUnavailable extends Error {
  override readonly name = 'ArchiveFormatUnavailable';
}

/** Throws ArchiveFormatUnavailable unless `bzip2` is installed. */
export async function requireBzip2(): Promise<void> {
  const child = start('--help');
  child.stdin?.end();
  child.stdout?.resume();
  try {
    await once(child, 'close');
  } catch (cause) {
    throw new ArchiveFormatUnavailable('the bzip2 program is not installed on the server', { cause });
  }
}

/** Compresses a stream with the `bzip2` program, because Node has an encoder for gzip but not for bzip2. */
export async function* bzip2(source: Readable): AsyncGenerator<Buffer, void> {
  const child = start('-c');
  const { stdin, stdout } = child;
  const closed = once(child, 'close');
  closed.catch(() => {});
  if (!stdin || !stdout) throw new Error('no file descriptors left for bzip2');
  let failure: unknown;
  pipeline(source, stdin, (error) => {
    failure = error ?? undefined;
  });
  try {
    for await (const chunk of stdout) yield chunk as Buffer;
    const [code] = await closed;
    // A source that fails closes the pipe, which bzip2 takes for end of file: the result must not pass for a complete
    // archive.
    if (failure) throw failure;
    if (code !== 0) throw new Error(`bzip2 ended with code ${code}`);
  } finally {
    child.kill('SIGKILL');
    source.destroy();
  }
}

function start(flag: string): ChildProcess {
  return spawn('bzip2', [flag], { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env.PATH } });
}
