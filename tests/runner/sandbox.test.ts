import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findSandbox } from '../../src/runner/sandbox.ts';
import { runProgram } from '../../src/runner/shell.ts';
import { until } from '../support/until.ts';

describe('what a job reaches', () => {
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

  it('is its own folders, and nothing hidden, where there is a sandbox', async (test) => {
    if (!(await findSandbox([])).description.includes('in a sandbox'))
      return test.skip('bubblewrap is not to be had here');
    const tried = await run(`echo mine > file; cat ${join(data, 'secret')}; touch /etc/hearth-was-here`, true);
    assert.notEqual(tried.code, 0);
    assert.doesNotMatch(tried.text, /^secret/m);
    await assert.rejects(async () => stat('/etc/hearth-was-here'));
    assert.equal((await stat(join(tree, 'file'))).size, 5);
  });

  it('ends with it: what a script starts is ended too', async () => {
    const { code, text } = await run('sleep 300 & echo $!', false);
    assert.equal(code, 0);
    // One that has ended may stand in the list until somebody asks for its exit code.
    await until(async () => / Z /.test(await readFile(`/proc/${Number(text)}/stat`, 'utf8').catch(() => ' Z ')));
  });

  it('is said where the program is not there', async () => {
    const output = () => undefined;
    const options = { cwd: tree, env: {}, output, signal: new AbortController().signal };
    await assert.rejects(async () => runProgram(['/no/such/program'], options), { code: 'ENOENT' });
  });

  it('is left when it is told to stop', async () => {
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
