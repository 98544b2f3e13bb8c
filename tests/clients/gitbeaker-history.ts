import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { generateKey } from 'openpgp';
import { sshKeyPair } from '../support/ssh-keys.ts';
import { refusal } from './gitbeaker-refusal.ts';
import { type Scene, textOf, workTree } from './gitbeaker-scene.ts';

/** Details of repositories: changelogs, submodules, signatures and single blobs. */
export function history(scene: () => Scene): void {
  it('counts, blames and shows single objects', async () => {
    const { api, project } = scene();
    const [commit] = await api.Commits.all(project, { trailers: true });
    assert.ok(commit);
    assert.equal((await api.Commits.show(project, 'main')).id, commit.id);
    assert.deepEqual(await api.Commits.showSequence(project, commit.id, { firstParent: true }), { count: 5 });
    assert.deepEqual(await api.Commits.allMergeRequests(project, commit.id), []);
    const [file] = await api.Repositories.allRepositoryTrees(project, { path: 'docs' });
    const blob = await api.Repositories.showBlob(project, file?.id ?? '');
    assert.deepEqual([blob.size, Buffer.from(blob.content, 'base64').toString()], [4, 'two\n']);
    const [part] = await api.RepositoryFiles.allFileBlames(project, 'one', 'main', { range: { start: 1, end: 1 } });
    assert.deepEqual(part?.lines, ['1']);
    for (const fileType of ['tar', 'tar.gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2'] as const) {
      assert.ok((await api.Repositories.showArchive(project, { fileType, path: 'docs' })).size > 0, fileType);
    }
  });

  it('generates changelogs', async () => {
    const { api } = scene();
    const { path_with_namespace: project } = await api.Projects.create({ name: 'log', initializeWithReadme: true });
    await api.Tags.create(project, 'v0.1.0', 'main');
    await api.RepositoryFiles.create(project, 'a', 'main', 'a', 'Add a\n\nChangelog: added');
    const { notes } = await api.Repositories.showChangelog(project, '1.0.0', { trailer: 'Changelog' });
    assert.match(notes, /### added \(1 change\)/);
    await api.Repositories.editChangelog(project, '1.0.0', { branch: 'main', file: 'NEWS.md' });
    assert.match(await textOf(await api.RepositoryFiles.showRaw(project, 'NEWS.md', 'main')), /Add a/);
  });

  it('updates submodules', async () => {
    const { api, server } = scene();
    const { path_with_namespace: project } = await api.Projects.create({ name: 'outer' });
    const tree = await workTree(server, project);
    await tree.commit({ '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../work.git\n' });
    await tree.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`);
    await tree.git('commit', '-q', '-m', 'Add lib');
    await tree.git('push', '-q', 'origin', 'main');
    const moved = await api.RepositorySubmodules.edit(project, 'lib', 'main', '2'.repeat(40), {
      commitMessage: 'Move lib',
    });
    assert.equal(moved.title, 'Move lib');
    const none = api.RepositorySubmodules.edit(project, 'none', 'main', '2'.repeat(40));
    assert.deepEqual(await refusal(none), [400, 'Invalid submodule path']);
  });

  it('shows signatures and their keys', async () => {
    const { api, server } = scene();
    const pair = sshKeyPair();
    const key = await api.UserSSHKeys.add('signing', pair.public);
    assert.equal((await api.UserSSHKeys.show(key.id)).title, 'signing');
    assert.equal((await api.Keys.show({ keyId: key.id })).user.username, 'root');
    const { path_with_namespace: project } = await api.Projects.create({ name: 'signed' });
    const tree = await workTree(server, project);
    const file = join(tree.folder, 'key');
    writeFileSync(file, pair.private, { mode: 0o600 });
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${file}`];
    await tree.git(...signing, 'commit', '-q', '-S', '--allow-empty', '-m', 'Signed');
    await tree.git(...signing, 'tag', '-s', '-m', 'Signed as well', 'signed');
    await tree.git('push', '-q', 'origin', 'main', 'signed');
    const ofCommit = await api.Commits.showGPGSignature(project, 'main');
    const ofTag = await api.Tags.showSignature(project, 'signed');
    for (const one of [ofCommit, ofTag]) assert.equal((one as { signature_type?: string }).signature_type, 'SSH');
    await api.UserSSHKeys.remove(key.id);
    const again = await api.UserSSHKeys.create('again', pair.public, { userId: 1 });
    assert.deepEqual(
      (await api.UserSSHKeys.all({ userId: 1 })).map((one) => one.id),
      [again.id],
    );
  });

  it('manages GPG keys', async () => {
    const { api } = scene();
    for (const options of [{}, { userId: 1 }]) {
      const { publicKey } = await generateKey({ userIDs: [{ email: 'admin@example.com' }], format: 'armored' });
      const add = options.userId ? api.UserGPGKeys.create(publicKey, options) : api.UserGPGKeys.add(publicKey);
      const { id } = await add;
      assert.equal((await api.UserGPGKeys.show(id, options)).key.trim(), publicKey.trim());
      await api.UserGPGKeys.remove(id, options);
      assert.deepEqual(await api.UserGPGKeys.all(options), []);
    }
  });
}
