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

describe('the argument vector', () => {
  it('keeps options, revisions and paths apart', () => {
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
    ['a subcommand out of the prototype', { name: 'constructor' as 'log' }],
    ['a missing verb', { name: 'commit-graph' }],
    ['a verb that is not in the table', { name: 'commit-graph', verb: 'verify' }],
  ];
  for (const [what, command] of refused) {
    it(`refuses ${what}`, () => assert.throws(() => gitArguments(command), GitArgumentError));
  }
});

describe('running git', () => {
  it('returns what it printed', async () => {
    const { code, stdout } = await run(work.repo, { name: 'rev-list', args: ['main'] });
    assert.equal(code, 0);
    assert.equal(stdout.toString().trim(), first);
  });

  it('takes paths literally, dashes and wildcards included', async () => {
    for (const path of ['-dash', '*.txt']) {
      const { stdout } = await run(work.repo, { name: 'ls-tree', args: ['main'], paths: [path] });
      assert.match(stdout.toString(), /^[^\n]*\n$/);
      assert.ok(stdout.toString().endsWith(`\t${path}\n`));
    }
  });

  it('throws with code and standard error, unless the code is an answer', async () => {
    const command: GitCommand = { name: 'rev-list', args: ['nothing'] };
    await assert.rejects(run(work.repo, command), (error: GitError) => {
      return error instanceof GitError && error.code === 128 && /bad revision/.test(error.stderr);
    });
    assert.equal((await run(work.repo, command, { okCodes: [0, 128] })).code, 128);
  });

  it('answers like git where there is no repository', async () => {
    const gone = { path: join(work.folder, 'gone.git') };
    await assert.rejects(run(gone, { name: 'rev-list', args: ['HEAD'] }), /ended with code 128/);
  });

  it('passes nothing of the server on: neither environment nor user configuration', async () => {
    writeFileSync(join(work.folder, '.gitconfig'), '[core]\n\tabbrev = 5\n');
    const misleading = { HOME: work.folder, GIT_DIR: '/nonexistent', GIT_OBJECT_DIRECTORY: '/nonexistent' };
    const saved = { ...process.env };
    Object.assign(process.env, misleading);
    try {
      const { stdout } = await run(work.repo, { name: 'log', flags: ['--format=%h'], args: ['main'] });
      assert.equal(stdout.toString().trim(), first.slice(0, 7));
    } finally {
      // One by one: whatever is put in the place of `process.env` is not the environment that the system knows.
      for (const name of Object.keys(misleading)) {
        if (saved[name] === undefined) delete process.env[name];
        else process.env[name] = saved[name];
      }
    }
  });

  it('lets no transport out unless it is asked for', async () => {
    const command: GitCommand = { name: 'fetch', args: [`file://${work.repo.path}`, 'main:refs/heads/fetched'] };
    await assert.rejects(run(work.repo, command), /128/);
    await run(work.repo, command, { config: { 'protocol.file.allow': 'always' } });
    assert.equal(work.git('rev-parse', 'fetched'), first);
  });

  it('feeds strings, buffers and streams', async () => {
    for (const stdin of ['main\n', Buffer.from('main\n'), Readable.from(['ma', 'in\n'])]) {
      const { stdout } = await run(work.repo, { name: 'rev-list', flags: ['--stdin'] }, { stdin });
      assert.equal(stdout.toString().trim(), first);
    }
  });

  it('ends git when its input breaks off', async () => {
    const broken = new Readable({ read() {} });
    const result = run(work.repo, { name: 'rev-list', flags: ['--stdin'] }, { stdin: broken });
    setImmediate(() => broken.destroy(new Error('the client left')));
    await assert.rejects(result, GitError);
  });
});

describe('limits', () => {
  const waiting: GitCommand = { name: 'cat-file', flags: ['--batch-command'] };

  it('ends git after its time', async () => {
    const open = new Readable({ read() {} });
    await assert.rejects(run(work.repo, waiting, { timeoutMs: 50, stdin: open }), { name: 'GitError', timedOut: true });
  });

  it('ends git when it prints too much', async () => {
    const command: GitCommand = { name: 'cat-file', args: ['commit', 'main'] };
    await assert.rejects(run(work.repo, command, { maxOutputBytes: 10 }), { name: 'GitError', truncated: true });
  });

  it('ends git when the caller goes away, before and after the start', async () => {
    const controller = new AbortController();
    const git = await spawnGit(work.repo, waiting, { signal: controller.signal });
    git.stdout.resume();
    controller.abort();
    await assert.rejects(git.done, { name: 'GitError', aborted: true });
    await assert.rejects(run(work.repo, waiting, { signal: controller.signal }), { name: 'AbortError' });
  });

  it('runs so many at a time, queues so many more, and refuses the rest', async () => {
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

  it('kills what git started along with it', async () => {
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
    // The far end of the pipe closes only when the hook is gone, too.
    await text(fd);
    assert.match(line.toString(), /^\d+\n$/);
  });
});

describe('the version of git', () => {
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
    it(`reads ${text}`, () => assert.deepEqual(readVersion(`${text}\n`), { version, supported }));
  }
});

describe('a machine without free descriptors', () => {
  it('has git refused, and the process and its turns left as they were', async () => {
    const program = join(import.meta.dirname, 'crowded-process.ts');
    const command = `ulimit -n 64; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', command, process.execPath, program, work.repo.path]);
    const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    assert.equal(said, 'ran, GitBusyError, GitBusyError, failed, ran, 0 running\n', complaints);
  });
});
