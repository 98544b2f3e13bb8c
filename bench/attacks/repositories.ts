import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Attack, statuses, type Target } from './attack.ts';

const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

/** A repository with hand-crafted objects. */
class Workshop {
  readonly folder: string;
  constructor(home: string) {
    this.folder = mkdtempSync(join(home, 'workshop-'));
    this.git('', 'init', '-q', '--bare');
  }

  git(input: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd: this.folder, env, input, maxBuffer: 1e8 }).toString().trim();
  }

  blob = (content: string) => this.git(content, 'hash-object', '-w', '--stdin');
  tree = (lines: readonly string[]) => this.git(`${lines.join('\n')}\n`, 'mktree');
  commit = (tree: string) => this.git('', 'commit-tree', tree, '-m', 'x');

  /** Asynchronous, so that concurrent requests are still sent. */
  async push(target: Target, id: string, branch: string): Promise<void> {
    const args = ['push', '-q', target.remote('root/open'), `${id}:refs/heads/${branch}`];
    await promisify(execFile)('git', args, { cwd: this.folder, env });
  }
}

/** Ten levels of ten entries: a dozen objects that expand to 10¹⁰ files. */
function bomb(workshop: Workshop): string {
  const blob = workshop.blob('x\n');
  const ten = (line: (n: number) => string) => workshop.tree(Array.from({ length: 10 }, (_, n) => line(n)));
  let root = ten((n) => `100644 blob ${blob}\tf${n}`);
  for (let level = 1; level < 10; level += 1) {
    const below = root;
    root = ten((n) => `040000 tree ${below}\td${n}`);
  }
  return workshop.commit(root);
}

function deep(workshop: Workshop): string {
  const head = 'commit refs/heads/deep\ncommitter A <a@example.com> 1600000000 +0000\ndata 1\nx\n';
  workshop.git(`${head}M 100644 inline ${'d/'.repeat(3000)}f\ndata 1\nx\n`, 'fast-import', '--quiet');
  return workshop.git('', 'rev-parse', 'refs/heads/deep');
}

const long = (workshop: Workshop) =>
  workshop.commit(workshop.tree([`100644 blob ${workshop.blob('line\n'.repeat(400_000))}\tlarge`]));

const reads = (branch: string) => [
  `commits/${branch}`,
  `commits/${branch}/diff`,
  `commits?ref_name=${branch}&with_stats=true`,
  `compare?from=main&to=${branch}&straight=true`,
  `tree?ref=${branch}&recursive=true`,
  `archive.tar.gz?sha=${branch}`,
  `archive.zip?sha=${branch}`,
];

function repository(name: string, branch: string, make: (workshop: Workshop) => string): Attack {
  return {
    item: 2,
    name,
    anonymous: true,
    async prepare(target) {
      const workshop = new Workshop(target.home);
      await workshop.push(target, make(workshop), branch);
    },
    async run(target) {
      const ask = (read: string) => target.ask(`GET /api/v4/projects/root%2Fopen/repository/${read}`);
      return statuses(await Promise.all(reads(branch).map(ask)), 200, 422, 413, 503);
    },
  };
}

const search = (query: string, name: string): Attack => ({
  item: 10,
  name,
  anonymous: true,
  run: async (target) =>
    statuses([await target.ask(`GET /api/v4/projects/root%2Fopen/repository/${query}`)], 200, 400, 404),
});

export const repositoryAttacks: readonly Attack[] = [
  repository('a bomb of 12 objects, read in seven ways', 'bomb', bomb),
  repository('directories nested 3,000 deep', 'deep', deep),
  repository('a diff of 400,000 lines', 'long', long),
  search(`branches?regex=${encodeURIComponent('((a{1,900}){1,900}){1,900}')}`, 'branches by a regex that expands'),
  search(`branches?regex=${encodeURIComponent('(x+x+)+y'.repeat(60))}`, 'branches by a regex that backtracks'),
  search(`branches?regex=${encodeURIComponent('[\\p{L}\\p{N}]'.repeat(500))}`, 'branches by a regex of large classes'),
  search(`commits?ref_name=${'main~'.repeat(500)}1`, 'commits of a revision with five hundred steps'),
];
