import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Size of the benchmark repository. */
export interface Size {
  readonly commits: number;
  readonly files: number;
  readonly fileBytes: number;
}

function* history({ commits, files, fileBytes }: Size): Generator<string> {
  const line = (seed: number) => `line ${seed} ${'x'.repeat(seed % 60)}\n`;
  const text = (file: number, version: number) => {
    let out = '';
    for (let count = 0; out.length < fileBytes; count += 1)
      out += line((file * 7919 + count * 104729 + (count % 50 === version % 50 ? version : 0)) % 100_003);
    return out;
  };
  for (let commit = 0; commit < commits; commit += 1) {
    const message = `Change number ${commit}\n\nBecause of reason ${commit % 17}.\n`;
    yield `commit refs/heads/main\ncommitter Some One <someone@example.com> ${1_600_000_000 + commit * 600} +0000\ndata ${message.length}\n${message}`;
    const changed = commit === 0 ? files : 1;
    for (let index = 0; index < changed; index += 1) {
      const file = commit === 0 ? index : (commit * 31) % files;
      const content = text(file, commit);
      yield `M 100644 inline dir${file % 20}/sub${file % 7}/file${file}.txt\ndata ${content.length}\n${content}\n`;
    }
  }
}

/** Writes a history into an empty bare repository and packs it. */
export async function writeHistory(repository: string, size: Size): Promise<void> {
  const child = spawn('git', ['-C', repository, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  for (const piece of history(size)) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  child.stdin.end();
  await once(child, 'exit');
  const pack = spawn('git', ['-C', repository, 'repack', '-adq', '--write-bitmap-index'], { stdio: 'inherit' });
  await once(pack, 'exit');
  const graph = spawn('git', ['-C', repository, 'commit-graph', 'write', '--reachable', '--changed-paths'], {
    stdio: 'ignore',
  });
  await once(graph, 'exit');
}

/** Writes one commit with many small files in 4,000 directories, three levels deep. */
export async function writeWideTree(repository: string, files: number): Promise<void> {
  const child = spawn('git', ['-C', repository, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.write('commit refs/heads/main\ncommitter Some One <someone@example.com> 1600000000 +0000\ndata 1\nx\n');
  for (let file = 0; file < files; file += 1) {
    const folder = file % 4000;
    const path = `package${folder % 40}/module${folder % 200}/part${folder}/file-${file}.ts`;
    const line = `M 100644 inline ${path}\ndata ${`${file}`.length}\n${file}\n`;
    if (!child.stdin.write(line)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  await once(child, 'exit');
}
