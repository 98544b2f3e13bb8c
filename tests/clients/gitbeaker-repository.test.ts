import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { history } from './gitbeaker-history.ts';
import { refusal } from './gitbeaker-refusal.ts';
import { type Api, textOf } from './gitbeaker-scene.ts';
import { Ticks } from './gitbeaker-ticks.ts';
import { upkeep } from './gitbeaker-upkeep.ts';

// All repository resources of the client.
const resources = [
  ...['Branches', 'Commits', 'DeployKeys', 'DeployTokens', 'Events', 'GroupPushRules', 'GroupReleases', 'Keys'],
  ...['ProjectMarkdownUploads', 'ProjectPushRules', 'ProjectReleases', 'ProjectStatistics', 'ProtectedBranches'],
  ...['ProtectedTags', 'ReleaseLinks', 'Repositories', 'RepositoryFiles', 'RepositorySubmodules', 'Tags'],
  ...['UserGPGKeys', 'UserSSHKeys'],
];
// Covered by the notes tests.
const later = ['Commits.allDiscussions'];

forEachEngine((engine) => {
  describe('gitbeaker repository resources', () => {
    let api: Api;
    let server: TestServer;
    const project = 'root/work';
    const ticks = new Ticks();
    const scene = () => ({ api, server, project });

    before(async () => {
      server = await startTestServer(engine, ['--archive-rate', '0']);
      // Disables the client's rate limit, which would wait after five archives per minute.
      api = ticks.watch(new Gitlab({ host: server.url, token: rootToken, rateLimits: { '**': 3000 } }));
      await api.Projects.create({ name: 'work' });
    });

    const names = (all: readonly { name: string }[]) => all.map((one) => one.name);
    const rawOf = async (path: string) => textOf(await api.RepositoryFiles.showRaw(project, path, 'main'));

    it('writes and reads files', async () => {
      const files = api.RepositoryFiles;
      const created = await files.create(project, 'docs/a file.md', 'main', 'one\n', 'Add a file');
      assert.deepEqual(created, { file_path: 'docs/a file.md', branch: 'main' });
      await files.edit(project, 'docs/a file.md', 'main', Buffer.from('two\n').toString('base64'), 'Change it', {
        encoding: 'base64',
      });
      const file = await files.show(project, 'docs/a file.md', 'main');
      assert.deepEqual(
        [file.file_name, file.size, Buffer.from(file.content, 'base64').toString()],
        ['a file.md', 4, 'two\n'],
      );
      assert.equal(await rawOf('docs/a file.md'), 'two\n');
      const [blame] = await files.allFileBlames(project, 'docs/a file.md', 'main');
      assert.deepEqual([blame?.lines, blame?.commit.message], [['two'], 'Change it']);
      await files.create(project, 'gone', 'main', '', 'Add gone');
      await files.remove(project, 'gone', 'main', 'Remove gone');
      assert.deepEqual(await refusal(files.show(project, 'gone', 'main')), [404, '404 File Not Found']);
      const again = files.create(project, 'docs/a file.md', 'main', 'x', 'x');
      assert.deepEqual(await refusal(again), [400, 'A file with this name already exists']);
    });

    it('creates commits with several actions and reads commits', async () => {
      const commit = await api.Commits.create(project, 'main', 'Several', [
        { action: 'create', filePath: 'one', content: '1\n' },
        { action: 'create', filePath: 'two', content: 'Mgo=', encoding: 'base64' },
        { action: 'move', filePath: 'docs/moved.md', previousPath: 'docs/a file.md' },
      ]);
      assert.deepEqual([commit.title, commit.stats?.additions], ['Several', 2]);
      assert.equal(await rawOf('two'), '2\n');
      const listed = await api.Commits.all(project, { withStats: true });
      assert.deepEqual(
        listed.map((one) => one.title),
        ['Several', 'Remove gone', 'Add gone', 'Change it', 'Add a file'],
      );
      assert.deepEqual(names(await api.Commits.allReferences(project, commit.id)), ['main']);
      const diffs = await api.Commits.showDiff(project, commit.id);
      assert.deepEqual(diffs.map((one) => one.new_path).sort(), ['docs/moved.md', 'one', 'two']);
      assert.deepEqual(await refusal(api.Commits.show(project, 'f'.repeat(40))), [404, '404 Commit Not Found']);
      assert.deepEqual(await refusal(api.Commits.showGPGSignature(project, commit.id)), [
        404,
        '404 Signature Not Found',
      ]);
    });

    it('cherry-picks, reverts, comments on and sets statuses of commits', async () => {
      const [commit] = await api.Commits.all(project);
      assert.ok(commit);
      await api.Branches.create(project, 'before', commit.parent_ids?.[0] ?? '');
      const picked = await api.Commits.cherryPick(project, commit.id, 'before');
      assert.ok(picked.message.startsWith(`Several\n\n(cherry picked from commit ${commit.id})`));
      assert.equal((await refusal(api.Commits.cherryPick(project, commit.id, 'before')))[0], 400);
      const reverted = await api.Commits.revert(project, picked.id, 'before');
      assert.equal(reverted.message, `Revert "Several"\n\nThis reverts commit ${picked.id}`);
      await api.Commits.createComment(project, commit.id, 'Looks good');
      assert.deepEqual(
        (await api.Commits.allComments(project, commit.id)).map((one) => one.note),
        ['Looks good'],
      );
      await api.Commits.editStatus(project, commit.id, 'success', { context: 'lint' });
      const statuses = await api.Commits.allStatuses(project, commit.id);
      assert.deepEqual(
        statuses.map((one) => [one.name, one.status]),
        [['lint', 'success']],
      );
    });

    it('lists trees and reads blobs and archives', async () => {
      const tree = await api.Repositories.allRepositoryTrees(project, { recursive: true, perPage: 2 });
      assert.deepEqual(
        tree.map((one) => one.path),
        ['docs', 'docs/moved.md', 'one', 'two'],
      );
      const raw = await api.Repositories.showBlobRaw(project, tree[2]?.id ?? '');
      assert.equal(await textOf(raw), '1\n');
      const archives = await Promise.all([1, 2].map(() => api.Repositories.showArchive(project, { fileType: 'zip' })));
      const [first, second] = await Promise.all(archives.map((one) => one.arrayBuffer()));
      assert.deepEqual(first, second);
      assert.equal(
        Buffer.from(first ?? new ArrayBuffer(0))
          .subarray(0, 2)
          .toString(),
        'PK',
      );
    });

    history(scene);

    it('compares', async () => {
      await api.RepositoryFiles.create(project, 'side', 'side', 'x\n', 'Add side', { startBranch: 'main' });
      const compared = await api.Repositories.compare(project, 'main', 'side');
      assert.deepEqual(
        compared.diffs?.map((one) => one.new_path),
        ['side'],
      );
      const base = await api.Repositories.mergeBase(project, ['main', 'side']);
      assert.equal(base.title, 'Several');
      const [contributor] = await api.Repositories.allContributors(project);
      assert.equal(contributor?.name, 'Administrator');
      assert.equal((await refusal(api.Repositories.compare(project, 'main', 'none')))[0], 404);
    });

    it('manages branches and tags', async () => {
      for (const name of ['my.branch.name', 'feature/one']) {
        await api.Branches.create(project, name, 'main');
        assert.equal((await api.Branches.show(project, name)).name, name);
      }
      assert.deepEqual(names(await api.Branches.all(project, { search: '^feature' })), ['feature/one']);
      await api.Branches.remove(project, 'feature/one');
      assert.deepEqual(await refusal(api.Branches.show(project, 'feature/one')), [404, '404 Branch Not Found']);
      const existing = api.Branches.create(project, 'main', 'main');
      assert.deepEqual(await refusal(existing), [400, 'Branch already exists']);
      await api.Tags.create(project, 'v1.0', 'main', { message: 'First' });
      assert.equal((await api.Tags.show(project, 'v1.0')).message, 'First');
      assert.deepEqual(names(await api.Tags.all(project)), ['v1.0']);
      assert.deepEqual(await refusal(api.Tags.create(project, 'v1.0', 'main')), [400, 'Tag v1.0 already exists']);
      await api.Branches.removeMerged(project);
      await api.Tags.create(project, 'gone', 'main');
      await api.Tags.remove(project, 'gone');
      assert.deepEqual(await refusal(api.Tags.show(project, 'gone')), [404, '404 Tag Not Found']);
    });

    it('protects branches and tags', async () => {
      await api.ProtectedBranches.create(project, 'release/*', { pushAccessLevel: 40, allowForcePush: true });
      const rule = await api.ProtectedBranches.show(project, 'release/*');
      assert.deepEqual([rule.name, rule.allow_force_push], ['release/*', true]);
      await api.ProtectedBranches.edit(project, 'release/*', { allowForcePush: false });
      assert.equal((await api.ProtectedBranches.show(project, 'release/*')).allow_force_push, false);
      const twice = api.ProtectedBranches.create(project, 'release/*');
      assert.deepEqual(await refusal(twice), [409, "Protected branch 'release/*' already exists"]);
      await api.ProtectedBranches.remove(project, 'release/*');
      assert.deepEqual(names(await api.ProtectedBranches.all(project)), ['main']);
      await api.ProtectedTags.create(project, 'v*');
      assert.deepEqual(names(await api.ProtectedTags.all(project)), ['v*']);
      assert.equal((await api.ProtectedTags.show(project, 'v*')).name, 'v*');
      await api.ProtectedTags.remove(project, 'v*');
      for (const rules of [api.ProtectedBranches, api.ProtectedTags]) {
        await rules.protect(project, 'x*');
        await rules.unprotect(project, 'x*');
        assert.deepEqual(await refusal(rules.show(project, 'x*')), [404, '404 Not found']);
      }
    });

    it('manages releases', async () => {
      const release = await api.ProjectReleases.create(project, { tagName: 'v2.0', ref: 'main', description: 'New' });
      assert.deepEqual([release.tag_name, release.name, release.description], ['v2.0', 'v2.0', 'New']);
      const address = `${server.url}/${project}/-/raw/main/one`;
      const link = await api.ReleaseLinks.create(project, 'v2.0', 'download', address, { directAssetPath: '/bin/one' });
      await api.ReleaseLinks.edit(project, 'v2.0', link.id, { name: 'One' });
      assert.equal((await api.ReleaseLinks.show(project, 'v2.0', link.id)).name, 'One');
      const shown = await api.ProjectReleases.show(project, 'v2.0');
      assert.deepEqual(names(shown.assets.links ?? []), ['One']);
      await api.ProjectReleases.edit(project, 'v2.0', { name: 'Two' });
      assert.equal((await api.ProjectReleases.showLatest(project)).name, 'Two');
      for (const file of [
        await api.ProjectReleases.download(project, 'v2.0', 'bin/one'),
        await api.ProjectReleases.downloadLatest(project, 'bin/one'),
      ]) {
        assert.equal(await textOf(file), '1\n');
      }
      await api.ReleaseLinks.remove(project, 'v2.0', link.id);
      assert.deepEqual(await api.ReleaseLinks.all(project, 'v2.0'), []);
      await api.ProjectReleases.createEvidence(project, 'v2.0');
      // The client uses an endpoint that GitLab does not have; evidence is collected by POST and returned with the
      // release.
      assert.equal((await refusal(api.ProjectReleases.showLatestEvidence(project)))[0], 405);
      const again = api.ProjectReleases.create(project, { tagName: 'v2.0', ref: 'main', description: 'New' });
      assert.deepEqual(await refusal(again), [409, 'Release already exists']);
      await api.ProjectReleases.remove(project, 'v2.0');
      assert.deepEqual(await api.ProjectReleases.all(project), []);
    });

    it('lists group releases', async () => {
      const group = await api.Groups.create('Releasing', 'releasing');
      const { id } = await api.Projects.create({ name: 'x', namespaceId: group.id, initializeWithReadme: true });
      await api.ProjectReleases.create(id, { tagName: 'v1', ref: 'main', description: 'x' });
      assert.deepEqual(
        (await api.GroupReleases.all(group.id)).map((one) => one.tag_name),
        ['v1'],
      );
    });

    upkeep(scene);

    it('lists events', async () => {
      const { id } = await api.Projects.show(project);
      const events = await api.Events.all({ projectId: id });
      assert.equal(events.at(-1)?.action_name, 'created');
      const refs = events.map((event) => (event.push_data as { ref?: string } | undefined)?.ref);
      assert.ok(refs.includes('v2.0') && refs.includes('side'));
      for (const whose of [{}, { userId: 1 }]) {
        assert.ok((await api.Events.all(whose)).some((event) => event.id === events[0]?.id));
      }
    });

    it('every method has been called', () => {
      assert.deepEqual(ticks.left(api, resources), later);
    });
  });
});
