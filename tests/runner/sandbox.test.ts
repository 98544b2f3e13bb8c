import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findSandbox } from '../../src/runner/sandbox.ts';
import { runProgram } from '../../src/runner/shell.ts';
import { until } from '../support/until.ts';

describe('job sandbox', () => {
  let data: string;
  let tree: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'hearth-sandbox-'));
    tree = join(data, 'runner', 'tree');
    await mkdir(tree, { recursive: true });
    await writeFile(join(data, 'secret'), 'secret');
  });
  after(() => rm(data, { recursive: true, force: true }));

  const run = async (script: string, sandboxed: boolean) => {
    const sandbox = await findSandbox([data]);
    const command = ['bash', '-c', script] as const;
    const pieces: Buffer[] = [];
    const env = { PATH: process.env.PATH ?? '' };
    const options = {
      cwd: tree,
      env,
      output: (piece: Buffer) => pieces.push(piece),
      signal: new AbortController().signal,
    };
    const code = await runProgram(sandboxed ? sandbox.around(command, [tree]) : command, options);
    return { code, text: Buffer.concat(pieces).toString() };
  };

  it("gives access to the job's own folders only", async (test) => {
    if (!(await findSandbox([])).description.includes('in a sandbox')) return test.skip('bubblewrap is not available');
    const tried = await run(`echo mine > file; cat ${join(data, 'secret')}; touch /etc/hearth-was-here`, true);
    assert.notEqual(tried.code, 0);
    assert.doesNotMatch(tried.text, /^secret/m);
    await assert.rejects(async () => stat('/etc/hearth-was-here'));
    assert.equal((await stat(join(tree, 'file'))).size, 5);
  });

  it('kills background processes when the script ends', async () => {
    const { code, text } = await run('sleep 300 & echo $!', false);
    assert.equal(code, 0);
    // A process that has exited may stay listed as a zombie until its exit code is read.
    await until(async () => / Z /.test(await readFile(`/proc/${Number(text)}/stat`, 'utf8').catch(() => ' Z ')));
  });

  it('reports a program that does not exist', async () => {
    const output = () => undefined;
    const options = { cwd: tree, env: {}, output, signal: new AbortController().signal };
    await assert.rejects(async () => runProgram(['/no/such/program'], options), { code: 'ENOENT' });
  });

  it('kills a program that ignores SIGTERM when aborted', async () => {
    const stop = new AbortController();
    const ended = runProgram(['bash', '-c', 'trap "" TERM; echo ready; sleep 300 & wait; wait'], {
      cwd: tree,
      env: { PATH: process.env.PATH ?? '' },
      output: () => stop.abort(),
      signal: stop.signal,
    });
    assert.equal(await ended, null);
  });
});
