import { createGit, type Git } from '../../../src/platform/git/git.ts';
import { createCommit } from '../../../src/platform/git/objects/commit-write.ts';
import type { Repository } from '../../../src/platform/git/repository.ts';

/** Commits one new file to main, retrying until it succeeds; returns the commit and the number of lost races. */
export async function commitFile(git: Git, repo: Repository, path: string): Promise<{ oid: string; lost: number }> {
  for (let lost = 0; ; lost++) {
    const parent = await git.readRef(repo, 'refs/heads/main');
    const commit = parent === null ? null : await git.objects(repo).commit(parent);
    const editor = await git.editTree(repo, commit?.tree ?? null);
    const writer = git.writer(repo);
    await editor.create(path, { mode: '100644', oid: await writer.add('blob', Buffer.from(`${path}\n`)) });
    const who = { name: 'W', email: 'w@example.com', seconds: Math.floor(Date.now() / 1000), zone: 0 };
    const oid = await createCommit(writer, {
      tree: await editor.write(writer),
      parents: parent === null ? [] : [parent],
      author: who,
      committer: who,
      message: path,
    });
    await writer.flush();
    const result = await git.updateRefs(repo, [{ ref: 'refs/heads/main', old: parent, new: oid }]);
    if (result.status === 'ok') return { oid, lost };
    if (result.status !== 'stale' && result.status !== 'locked') throw new Error(JSON.stringify(result));
  }
}

// When run as a program: commits until killed, printing each acknowledged commit.
if (process.argv[1] === import.meta.filename) {
  const [, , path = '', label = ''] = process.argv;
  const git = createGit({ root: '/' });
  for (let i = 0; ; i++) {
    const { oid } = await commitFile(git, { path }, `${label}/dir${i % 7}/file${i}`);
    process.stdout.write(`${oid}\n`);
  }
}
