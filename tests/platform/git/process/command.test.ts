import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import {
  GitArgumentError,
  GitBusyError,
  type GitCommand,
  GitError,
  gitArguments,
  gitProcessCounters,
  limitGitProcesses,
  run,
  spawnGit,
} from '../../../../src/platform/git/process/command.ts';
import { readVersion } from '../../../../src/platform/git/process/version.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const first = work.commit({ 'a.txt': 'one\n', '-dash': 'dashed\n', '*.txt': 'star\n' });
after(() => work.remove());

describe('gitArguments', () => {
  it('separates options, revisions and paths', () => {
    const command: GitCommand = {
      name: 'log',
      flags: ['-z', '--format=%H', '--max-count=2'],
      args: ['main'],
      paths: ['-dash'],
    };
    assert.deepEqual(gitArguments(command), [
      ...['log', '-z', '--format=%H', '--max-count=2', '--end-of-options', 'main', '--', '-dash'],
    ]);
    assert.deepEqual(gitArguments({ name: 'blame', flags: ['-L1,5'], args: ['main'], paths: ['a'] }), [
      ...['blame', '-L1,5', 'main', '--', 'a'],
    ]);
    assert.deepEqual(gitArguments({ name: 'commit-graph', verb: 'write', flags: ['--reachable'] }), [
      ...['commit-graph', 'write', '--reachable'],
    ]);
  });

  const refused: [string, GitCommand][] = [
    ['a revision that looks like an option', { name: 'log', args: ['--output=/tmp/x'] }],
    ['a short option as a revision', { name: 'log', args: ['-p'] }],
    ['a NUL in a revision', { name: 'log', args: ['main\0x'] }],
    ['a line break in a revision', { name: 'cat-file', args: ['blob', 'main\nx'] }],
    ['a flag that is not in the table', { name: 'log', flags: ['--output=/tmp/x'] }],
    ['a flag of another subcommand', { name: 'cat-file', flags: ['--follow'] }],
    ['a flag without a dash', { name: 'log', flags: ['main'] }],
    ['a NUL in a path', { name: 'log', paths: ['a\0b'] }],
    ['an unknown subcommand', { name: 'daemon' as 'log' }],
    ['a subcommand named like an Object.prototype property', { name: 'constructor' as 'log' }],
    ['a missing verb', { name: 'commit-graph' }],
    ['a verb that is not in the table', { name: 'commit-graph', verb: 'verify' }],
  ];
  for (const [problem, command] of refused) {
    it(`rejects ${problem}`, () => assert.throws(() => gitArguments(command), GitArgumentError));
  }
});

describe('run', () => {
  it('returns the output', async () => {
    const { code, stdout } = await run(work.repo, { name: 'rev-list', args: ['main'] });
    assert.equal(code, 0);
    assert.equal(stdout.toString().trim(), first);
  });

  it('takes paths literally, including dashes and wildcards', async () => {
    for (const path of ['-dash', '*.txt']) {
      const { stdout } = await run(work.repo, { name: 'ls-tree', args: ['main'], paths: [path] });
      assert.match(stdout.toString(), /^[^\n]*\n$/);
      assert.ok(stdout.toString().endsWith(`\t${path}\n`));
    }
  });

  it('throws an error with exit code and stderr, unless the code is accepted', async () => {
    const command: GitCommand = { name: 'rev-list', args: ['nothing'] };
    await assert.rejects(run(work.repo, command), (error: GitError) => {
      return error instanceof GitError && error.code === 128 && /bad revision/.test(error.stderr);
    });
    assert.equal((await run(work.repo, command, { okCodes: [0, 128] })).code, 128);
  });

  it('reports a missing repository like git', async () => {
    const missing = { path: join(work.folder, 'gone.git') };
    await assert.rejects(run(missing, { name: 'rev-list', args: ['HEAD'] }), /ended with code 128/);
  });

  it('passes on neither the environment nor the user configuration of the server', async () => {
    writeFileSync(join(work.folder, '.gitconfig'), '[core]\n\tabbrev = 5\n');
    const misleading = { HOME: work.folder, GIT_DIR: '/nonexistent', GIT_OBJECT_DIRECTORY: '/nonexistent' };
    const saved = { ...process.env };
    Object.assign(process.env, misleading);
    try {
      const { stdout } = await run(work.repo, { name: 'log', flags: ['--format=%h'], args: ['main'] });
      assert.equal(stdout.toString().trim(), first.slice(0, 7));
    } finally {
      // Restored one by one: replacing `process.env` as a whole would not change the environment of child processes.
      for (const name of Object.keys(misleading)) {
        if (saved[name] === undefined) delete process.env[name];
        else process.env[name] = saved[name];
      }
    }
  });

  it('permits no transport protocol unless enabled', async () => {
    const command: GitCommand = { name: 'fetch', args: [`file://${work.repo.path}`, 'main:refs/heads/fetched'] };
    await assert.rejects(run(work.repo, command), /128/);
    await run(work.repo, command, { config: { 'protocol.file.allow': 'always' } });
    assert.equal(work.git('rev-parse', 'fetched'), first);
  });

  it('accepts strings, buffers and streams as input', async () => {
    for (const stdin of ['main\n', Buffer.from('main\n'), Readable.from(['ma', 'in\n'])]) {
      const { stdout } = await run(work.repo, { name: 'rev-list', flags: ['--stdin'] }, { stdin });
      assert.equal(stdout.toString().trim(), first);
    }
  });

  it('ends git when its input fails', async () => {
    const broken = new Readable({ read() {} });
    const result = run(work.repo, { name: 'rev-list', flags: ['--stdin'] }, { stdin: broken });
    setImmediate(() => broken.destroy(new Error('the client left')));
    await assert.rejects(result, GitError);
  });
});

describe('limits of git processes', () => {
  const waiting: GitCommand = { name: 'cat-file', flags: ['--batch-command'] };

  it('end git after the timeout', async () => {
    const open = new Readable({ read() {} });
    await assert.rejects(run(work.repo, waiting, { timeoutMs: 50, stdin: open }), { name: 'GitError', timedOut: true });
  });

  it('end git when it prints too much', async () => {
    const command: GitCommand = { name: 'cat-file', args: ['commit', 'main'] };
    await assert.rejects(run(work.repo, command, { maxOutputBytes: 10 }), { name: 'GitError', truncated: true });
  });

  it('end git on cancellation, before and after the start', async () => {
    const controller = new AbortController();
    const git = await spawnGit(work.repo, waiting, { signal: controller.signal });
    git.stdout.resume();
    controller.abort();
    await assert.rejects(git.done, { name: 'GitError', aborted: true });
    await assert.rejects(run(work.repo, waiting, { signal: controller.signal }), { name: 'AbortError' });
  });

  it('bound running and queued processes, rejecting the rest', async () => {
    limitGitProcesses({ work: { running: 1, waiting: 1 } });
    const before = gitProcessCounters().work.refused;
    const holder = await spawnGit(work.repo, waiting);
    holder.stdout.resume();
    const controller = new AbortController();
    const abandoned = run(work.repo, { name: 'count-objects' }, { signal: controller.signal });
    await assert.rejects(run(work.repo, { name: 'count-objects' }), GitBusyError);
    assert.equal(gitProcessCounters().work.refused, before + 1);
    controller.abort();
    await assert.rejects(abandoned, { name: 'AbortError' });
    const queued = run(work.repo, { name: 'count-objects' });
    assert.deepEqual([gitProcessCounters().work.running, gitProcessCounters().work.waiting], [1, 1]);
    holder.stdin.end();
    await holder.done;
    assert.match((await queued).stdout.toString(), / objects, /);
    limitGitProcesses({ work: { running: 16, waiting: 512 } });
    assert.equal(gitProcessCounters().work.running, 0);
  });

  it('kill the children of git as well', async () => {
    const config = { 'core.hooksPath': work.folder };
    writeFileSync(join(work.folder, 'reference-transaction'), '#!/bin/sh\necho $$ >&3\nexec sleep 1000\n', {
      mode: 0o755,
    });
    const git = await spawnGit(work.repo, { name: 'update-ref', flags: ['--stdin'] }, { config, extraFds: 1 });
    git.stdin.write(`create refs/heads/hooked ${first}\n`);
    git.stdin.end();
    git.stdout.resume();
    const [fd] = git.fds;
    assert.ok(fd);
    const [line] = (await once(fd, 'data')) as [Buffer];
    git.kill();
    await assert.rejects(git.done, GitError);
    // The other end of the pipe closes only when the hook has exited, too.
    await text(fd);
    assert.match(line.toString(), /^\d+\n$/);
  });
});

describe('git version', () => {
  const printed: [string, string, boolean][] = [
    ['git version 2.39.5', '2.39.5', true],
    ['git version 2.38.0', '2.38.0', true],
    ['git version 2.37.9', '2.37.9', false],
    ['git version 3.0.0', '3.0.0', true],
    ['git version 2.39.3 (Apple Git-146)', '2.39.3', true],
    ['git version 2.45.1.windows.1', '2.45.1', true],
    ['nonsense', 'nonsense', false],
  ];
  for (const [text, version, supported] of printed) {
    it(`parses ${text}`, () => assert.deepEqual(readVersion(`${text}\n`), { version, supported }));
  }
});

describe('without free file descriptors', () => {
  it('git fails with GitBusyError, and all slots are released afterwards', async () => {
    const program = join(import.meta.dirname, 'crowded-process.ts');
    const command = `ulimit -n 64; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', command, process.execPath, program, work.repo.path]);
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    assert.equal(output, 'ran, GitBusyError, GitBusyError, failed, ran, 0 running\n', errors);
  });
});
