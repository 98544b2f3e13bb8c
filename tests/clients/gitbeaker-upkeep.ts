import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sshKeyPair } from '../support/ssh-keys.ts';
import { refusal } from './gitbeaker-refusal.ts';
import { type Scene, textOf } from './gitbeaker-scene.ts';

/** Deploy credentials, push rules, forks, uploads, repository size and maintenance of projects. */
export function upkeep(scene: () => Scene): void {
  it('manages deploy keys', async () => {
    const { api, project } = scene();
    const key = await api.DeployKeys.create(project, 'machine', sshKeyPair().public, { canPush: false });
    await api.DeployKeys.edit(project, key.id, { title: 'robot', canPush: true });
    const shown = await api.DeployKeys.show(project, key.id);
    assert.deepEqual([shown.title, shown.can_push], ['robot', true]);
    const other = await api.Projects.create({ name: 'other' });
    await api.DeployKeys.enable(other.id, key.id);
    for (const where of [{}, { projectId: other.id }, { userId: 1 }]) {
      assert.ok((await api.DeployKeys.all(where)).some((one) => one.id === key.id));
    }
    await api.DeployKeys.remove(other.id, key.id);
    assert.deepEqual(await api.DeployKeys.all({ projectId: other.id }), []);
  });

  it('manages deploy tokens', async () => {
    const { api, project } = scene();
    const group = await api.Groups.create('Deploying', 'deploying');
    for (const where of [{ projectId: project }, { groupId: group.id }]) {
      const token = await api.DeployTokens.create('fetch', ['read_repository'], { ...where, username: 'fetcher' });
      const found = await api.DeployTokens.show(token.id, where);
      assert.deepEqual([found.name, found.username, found.scopes], ['fetch', 'fetcher', ['read_repository']]);
      for (const list of [where, {}]) {
        assert.deepEqual(
          (await api.DeployTokens.all(list)).map((one) => one.id),
          [token.id],
        );
      }
      await api.DeployTokens.remove(token.id, where);
    }
  });

  it('manages push rules', async () => {
    const { api, project } = scene();
    const group = await api.Groups.create('Ruling', 'ruling');
    for (const [rules, holder] of [
      [api.ProjectPushRules, project],
      [api.GroupPushRules, group.id],
    ] as const) {
      await rules.create(holder, { commitMessageRegex: '^[A-Z]' });
      await rules.edit(holder, { denyDeleteTag: true });
      const shown = await rules.show(holder);
      assert.deepEqual([shown.commit_message_regex, shown.deny_delete_tag], ['^[A-Z]', true]);
      if (holder === project) {
        const [status, text] = await refusal(api.RepositoryFiles.create(project, 'x', 'main', 'x', 'lower'));
        assert.deepEqual([status, text.includes('does not follow the pattern')], [400, true]);
      }
      await rules.remove(holder);
    }
  });

  it('forks, unlinks and links projects', async () => {
    const { api, project } = scene();
    const { id } = await api.Projects.show(project);
    const fork = await api.Projects.fork(project, { name: 'fork', path: 'fork' });
    assert.deepEqual(
      (await api.Projects.allForks(project)).map((one) => one.id),
      [fork.id],
    );
    await api.Projects.removeForkRelationship(fork.id);
    assert.deepEqual(await api.Projects.allForks(project), []);
    await api.Projects.createForkRelationship(fork.id, id);
    const { forked_from_project: origin } = await api.Projects.show(fork.id);
    assert.equal((origin as { id: number }).id, id);
  });

  it('uploads, lists and deletes files', async () => {
    const { api, project } = scene();
    const uploads = api.ProjectMarkdownUploads;
    await api.Projects.uploadForReference(project, { content: new Blob(['one']), filename: 'one.txt' });
    await uploads.create(project, { content: new Blob(['two']), filename: 'two.txt' });
    const all = await uploads.all(project);
    assert.deepEqual(all.map((one) => one.filename).sort(), ['one.txt', 'two.txt']);
    for (const { id } of all) {
      const content = (await uploads.download(project, String(id))) as string | Blob;
      assert.match(await textOf(content), /^(one|two)$/);
      await uploads.remove(project, String(id));
    }
    assert.deepEqual(await uploads.all(project), []);
  });

  it('gets statistics and snapshots and runs housekeeping', async () => {
    const { api, project } = scene();
    assert.ok((await api.Projects.downloadSnapshot(project)).size > 0);
    await api.Projects.housekeeping(project, { task: 'eager' });
    const [status, text] = await refusal(api.Projects.housekeeping(project));
    assert.deepEqual([status, text.includes('already triggered housekeeping')], [409, true]);
    assert.equal((await api.ProjectStatistics.show(project)).fetches.total, 0);
    assert.deepEqual(await api.Projects.showLanguages(project), {});
    const place: unknown = await api.Projects.allStoragePaths(project);
    assert.equal((place as { repository_storage: string }).repository_storage, 'default');
  });
}
