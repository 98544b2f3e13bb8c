import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { createGit, type Git } from '../../../../src/platform/git/git.ts';
import { gitProcessCounters, run } from '../../../../src/platform/git/process/command.ts';
import { Advertiser } from '../../../../src/platform/git/transport/advertisement.ts';
import { pktLine } from '../../../../src/platform/git/transport/pkt-line.ts';
import { type GitService, protocolVariable } from '../../../../src/platform/git/transport/transport.ts';
import { until } from '../../../support/until.ts';
import { WorkTree } from '../work-tree.ts';

let work: WorkTree;
let git: Git;
let advertiser: Advertiser;

before(() => {
  work = new WorkTree();
  git = createGit({ root: work.folder });
  advertiser = new Advertiser((repo) => git.listRefs(repo, 'refs/'));
});
after(() => {
  git.close();
  work.remove();
});

/** Returns git's own advertisement. */
async function fromGit(service: GitService, protocol?: string): Promise<string> {
  const name = service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack';
  const command = { name, flags: ['--stateless-rpc', '--http-backend-info-refs'], args: [work.repo.path] } as const;
  const { stdout } = await run(work.repo, command, { env: protocolVariable(protocol) });
  return `${pktLine(`# service=${service}\n`)}0000${stdout.toString('latin1')}`;
}

async function fromServer(service: GitService, protocol?: string): Promise<string> {
  const chunks = await Array.fromAsync(advertiser.advertise(work.repo, service, protocol ? { protocol } : {}));
  return Buffer.concat(chunks).toString('latin1');
}

describe("advertisements equal git's", () => {
  const cases: [string, GitService, string | undefined][] = [
    ['a push', 'git-receive-pack', undefined],
    ['a push of protocol 1', 'git-receive-pack', 'version=1'],
    ['a fetch of protocol 2', 'git-upload-pack', 'version=2'],
    ['a fetch of protocol 1', 'git-upload-pack', 'version=1'],
    ['a fetch of protocol 0', 'git-upload-pack', undefined],
    ['a fetch with additional parameters', 'git-upload-pack', 'version=2:x=y'],
  ];
  const compare = async () => {
    for (const [kind, service, protocol] of cases) {
      // Twice, because the first request asks git.
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await fromServer(service, protocol), await fromGit(service, protocol), kind);
      }
    }
  };

  it('of a repository without refs', compare);

  it('of a repository with branches, tags and hidden refs', async () => {
    work.commit({ a: '1' });
    work.git('branch', 'one/two');
    work.git('tag', '-a', '-m', 'a tag', 'v1');
    const refs = [
      'refs/merge-requests/1/head',
      'refs/keep-around/x',
      'refs/tmp/y',
      'refs/notes/commits',
      'refs/remotes/o/m',
    ];
    for (const ref of refs)
      execFileSync('git', ['-C', work.repo.path, 'update-ref', ref, work.git('rev-parse', 'HEAD').trim()]);
    await compare();
  });

  it('of a repository with packed refs, and after updates', async () => {
    execFileSync('git', ['-C', work.repo.path, 'pack-refs', '--all']);
    await compare();
    work.commit({ a: '2' });
    work.git('branch', '-D', 'one/two');
    await compare();
  });

  it('of more refs than fit into one chunk', async () => {
    const head = work.git('rev-parse', 'HEAD').trim();
    const lines = Array.from({ length: 2500 }, (_, i) => `create refs/heads/many/${i} ${head}\n`);
    execFileSync('git', ['-C', work.repo.path, 'update-ref', '--stdin'], { input: lines.join('') });
    await compare();
  });
});

describe('a client that disconnects', () => {
  it('ends the git process', async () => {
    const chunks = advertiser.advertise(work.repo, 'git-upload-pack', { protocol: 'version=1' });
    await chunks.next();
    await chunks.return();
    await until(() => gitProcessCounters().transport.running === 0);
  });
});
