import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

async function patchIdOf(git: GitClient, base: string, head: string): Promise<string | undefined> {
  const patch = await git.git('diff', '--full-index', base, head);
  const printed = execFileSync('git', ['patch-id', '--verbatim'], { input: `${patch}\n`, encoding: 'utf8' });
  return printed.split(' ')[0];
}

forEachEngine((engine) => {
  describe('merge request changes', () => {
    let scene: ReviewScene;
    let first: string;

    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string) => (await scene.api(scene.developer, `GET ${scene.base}/${path}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
      first = await scene.branch('topic', 'a b.txt', 'hello\n');
      await scene.open(scene.developer, 'topic');
    });

    it('are shown by file, as a patch, and with the merge request', async () => {
      const { git } = scene;
      const diffs = await scene.api(null, `GET ${scene.base}/1/diffs`);
      assert.equal(diffs.headers.get('x-total'), '1');
      assert.deepEqual(diffs.body, [
        {
          diff: '@@ -0,0 +1 @@\n+hello\n',
          collapsed: false,
          too_large: false,
          new_path: 'a b.txt',
          old_path: 'a b.txt',
          a_mode: '0',
          b_mode: '100644',
          new_file: true,
          renamed_file: false,
          deleted_file: false,
          generated_file: false,
        },
      ]);
      const unified = await get('1/diffs?unidiff=true');
      assert.match(unified[0].diff, /^--- \/dev\/null\n\+\+\+ b\/a b\.txt/);
      const raw = await scene.api(null, `GET ${scene.base}/1/raw_diffs`);
      assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(raw.text, `${await git.git('diff', '--full-index', 'main...topic')}\n`);
      const changes = await get('1/changes');
      assert.deepEqual([changes.changes.length, changes.overflow, changes.iid], [1, false, 1]);
      const commits = await get('1/commits');
      assert.deepEqual(
        commits.map((commit: { id: string }) => commit.id),
        [first],
      );
    });

    it('have a version for each push', async () => {
      const { git, developer, push } = scene;
      await git.git('checkout', '-q', 'topic');
      const second = await git.commit({ 'more.txt': 'more\n' }, 'More of it');
      await push(developer, 'topic');
      await settle();
      const read = await get('1');
      assert.deepEqual([read.sha, read.changes_count, read.merge_status], [second, '2', 'can_be_merged']);
      const versions = await get('1/versions');
      assert.deepEqual(
        versions.map((version: { head_commit_sha: string }) => version.head_commit_sha),
        [second, first],
      );
      assert.deepEqual([versions[0].state, versions[0].real_size], ['collected', '2']);
      for (const { base_commit_sha: base, head_commit_sha: head, patch_id_sha } of versions) {
        assert.equal(patch_id_sha, await patchIdOf(git, base, head));
      }
      const old = await get(`1/versions/${versions[1].id}`);
      assert.deepEqual([old.diffs.length, old.commits.length], [1, 1]);
      assert.equal((await scene.api(developer, `GET ${scene.base}/1/versions/999999`)).status, 404);
      assert.equal((await scene.api(null, `GET ${scene.base}/1/versions`)).status, 401);
      const notes = await get('1/notes');
      assert.match(notes[0].body, /^added 1 commit\n\n<ul><li>[0-9a-f]{8} - More of it<\/li><\/ul>$/);
      assert.equal(notes[0].author.id, developer.user.id);
    });

    it('follow a rewritten history and keep the previous version', async () => {
      const { git, developer, push } = scene;
      const lost = await git.git('rev-parse', 'topic');
      await git.git('checkout', '-q', '-B', 'topic', 'main');
      const rewritten = await git.commit({ 'other.txt': 'other\n' }, 'fixup! Another way');
      await push(developer, '+topic');
      const read = await get('1');
      assert.deepEqual([read.sha, read.changes_count, read.draft], [rewritten, '1', true]);
      assert.match(read.title, /^Draft: /);
      const [, previous] = await get('1/versions');
      assert.equal((await get(`1/versions/${previous.id}`)).head_commit_sha, lost);
      const titled = await scene.api(developer, `PUT ${scene.base}/1`, { json: { title: 'Ready' } });
      assert.equal(titled.body.draft, false);
    });

    it('can be fetched, unmerged and merged', async () => {
      const { owner, server, project, git } = scene;
      const clone = new GitClient();
      await clone.init();
      const path = `${owner.user.username}/${project.path}`;
      const url = withCredentials(server.url, path, owner.user.username, owner.token);
      await clone.git('fetch', '-q', url, 'refs/merge-requests/1/head:head', 'refs/merge-requests/1/merge:merge');
      assert.equal(await clone.git('rev-parse', 'head'), await git.git('rev-parse', 'topic'));
      const parents = await clone.git('rev-parse', 'merge^1', 'merge^2');
      assert.equal(parents, await git.git('rev-parse', 'main', 'topic'));
      const refused = await clone.run('push', '-q', url, 'head:refs/merge-requests/1/head');
      assert.notEqual(refused.code, 0);
    });

    it('conflict after the target has changed the same lines', async () => {
      const { git, owner, push } = scene;
      await scene.branch('clash', 'README.md', 'ONE\ntwo\nthree\n');
      const { iid } = await scene.open(owner, 'clash');
      assert.equal((await get(`${iid}`)).detailed_merge_status, 'mergeable');
      await git.git('checkout', '-q', 'main');
      await git.commit({ 'README.md': 'uno\ntwo\nthree\n' }, 'Another first line');
      await push(owner, 'main');
      await settle();
      const [listed] = (await scene.api(null, `GET ${scene.base}?iids[]=${iid}`)).body;
      assert.deepEqual(
        [listed.merge_status, listed.detailed_merge_status, listed.has_conflicts],
        ['cannot_be_merged', 'conflict', true],
      );
      const requested = await get(`${iid}?include_diverged_commits_count=true`);
      assert.equal(requested.diverged_commits_count, 1);
      assert.equal((await get('1')).detailed_merge_status, 'mergeable');
    });

    it('are closed with their branch', async () => {
      await scene.branch('fleeting', 'f.txt', 'f');
      const { iid } = await scene.open(scene.owner, 'fleeting');
      await scene.push(scene.developer, ':fleeting');
      const read = await get(`${iid}`);
      assert.deepEqual([read.state, read.closed_by.id], ['closed', scene.developer.user.id]);
      const [note] = await get(`${iid}/notes`);
      assert.equal(note.body, 'deleted source branch `fleeting`');
    });

    it('are marked as merged once the target contains them', async () => {
      const { git, owner, push } = scene;
      await scene.branch('direct', 'd.txt', 'd');
      const { iid } = await scene.open(scene.developer, 'direct');
      await git.git('checkout', '-q', 'main');
      await git.git('merge', '-q', '--no-ff', '-m', 'By hand', 'direct');
      const brought = await git.git('rev-parse', 'HEAD');
      await git.commit({ 'later.txt': 'later' });
      await push(owner, 'main');
      await settle();
      const read = await get(`${iid}`);
      assert.deepEqual([read.state, read.merge_commit_sha, read.merge_user.id], ['merged', brought, owner.user.id]);
    });

    it('may be empty', async () => {
      await scene.git.git('branch', 'same', 'main');
      await scene.push(scene.owner, 'same');
      const { iid, detailed_merge_status } = await scene.open(scene.owner, 'same');
      assert.equal(detailed_merge_status, 'commits_status');
      assert.deepEqual(await get(`${iid}/diffs`), []);
      assert.deepEqual(await get(`${iid}/commits`), []);
      assert.equal((await scene.api(null, `GET ${scene.base}/${iid}/raw_diffs`)).text, '');
    });
  });
});
