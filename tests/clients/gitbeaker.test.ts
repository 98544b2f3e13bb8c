import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';
import { refusal } from './gitbeaker-refusal.ts';

forEachEngine((engine) => {
  describe('gitbeaker', () => {
    let api: InstanceType<typeof Gitlab<false>>;
    let host: string;
    const password = 'long enough 4 you';

    before(async () => {
      host = (await startTestServer(engine)).url;
      api = new Gitlab({ host, token: rootToken });
    });

    const addUser = (username: string) =>
      api.Users.create({
        username,
        name: username,
        email: `${username}@example.com`,
        password,
        skipConfirmation: true,
      });

    it('authenticates with a private token and a bearer token', async () => {
      assert.equal((await api.Users.showCurrentUser()).username, 'root');
      const bearer = new Gitlab({ host, oauthToken: rootToken });
      assert.equal((await bearer.Users.showCurrentUser()).username, 'root');
      assert.match((await api.Metadata.show()).version, /^\d+\.\d+\.\d+/);
    });

    it('reports an unknown token', async () => {
      const stranger = new Gitlab({ host, token: 'glpat-nosuchtokenatall' });
      assert.deepEqual(await refusal(stranger.Users.showCurrentUser()), [401, '401 Unauthorized']);
      assert.deepEqual(await refusal(stranger.Projects.all()), [401, '401 Unauthorized']);
    });

    it('creates users and acts on their behalf', async () => {
      const user = await addUser('ann');
      assert.deepEqual([user.username, user.state], ['ann', 'active']);
      assert.deepEqual(
        (await api.Users.all({ search: 'ann' })).map((one) => one.id),
        [user.id],
      );
      const token = await api.PersonalAccessTokens.create(user.id, 'test', ['api']);
      const ann = new Gitlab({ host, token: token.token });
      assert.equal((await ann.Users.showCurrentUser()).id, user.id);
      assert.equal((await api.Users.showCurrentUser({ sudo: 'ann' })).id, user.id);
      assert.deepEqual(await refusal(addUser('ann')), [409, 'Email has already been taken']);
      assert.deepEqual(await refusal(api.Users.show(99_999_999)), [404, '404 User Not Found']);
      assert.equal(await api.Users.block(user.id), true);
      const [status, text] = await refusal(ann.Users.showCurrentUser());
      assert.deepEqual([status, text.includes('Your account has been blocked')], [403, true]);
    });

    it('creates subgroups and projects', async () => {
      const outer = await api.Groups.create('Outer', 'outer', { visibility: 'public' });
      const inner = await api.Groups.create('Inner', 'inner', { parentId: outer.id });
      assert.equal(inner.full_path, 'outer/inner');
      assert.equal((await api.Groups.show('outer/inner')).id, inner.id);
      assert.deepEqual(
        (await api.Groups.allSubgroups(outer.id)).map((one) => one.id),
        [inner.id],
      );
      const project = await api.Projects.create({ name: 'Some Thing', namespaceId: inner.id });
      assert.equal(project.path_with_namespace, 'outer/inner/some-thing');
      assert.equal((await api.Projects.show('outer/inner/some-thing')).id, project.id);
      await api.Projects.edit(project.id, { description: 'changed', topics: ['a', 'b'] });
      const changed = await api.Projects.show(project.id);
      assert.deepEqual([changed.description, changed.topics], ['changed', ['a', 'b']]);
      const found = await api.Groups.allProjects(outer.id, { includeSubgroups: true });
      assert.deepEqual(
        found.map((one) => one.id),
        [project.id],
      );
    });

    it('reports why a group or project is rejected', async () => {
      const [status, text] = await refusal(api.Groups.create('Again', 'outer'));
      assert.deepEqual([status, text.includes('has already been taken')], [400, true]);
      const taken = await refusal(api.Projects.create({ name: 'Some Thing', namespaceId: await idOf('outer/inner') }));
      assert.equal(taken[0], 400);
      assert.match(taken[1], /has already been taken/);
      assert.deepEqual(await refusal(api.Projects.show('no/such')), [404, '404 Project Not Found']);
    });

    const idOf = async (path: string) => (await api.Groups.show(path)).id;

    it('adds members once', async () => {
      const user = await addUser('bob');
      const group = await idOf('outer');
      const member = await api.GroupMembers.add(group, 30, { userId: user.id });
      assert.deepEqual([member.id, member.access_level], [user.id, 30]);
      assert.deepEqual(await refusal(api.GroupMembers.add(group, 30, { userId: user.id })), [
        409,
        'Member already exists',
      ]);
      const inherited = await api.ProjectMembers.all('outer/inner/some-thing', { includeInherited: true });
      assert.ok(inherited.some((one) => one.id === user.id));
      await api.GroupMembers.edit(group, user.id, 40);
      assert.equal((await api.GroupMembers.show(group, user.id)).access_level, 40);
      await api.GroupMembers.remove(group, user.id);
      assert.deepEqual(await refusal(api.GroupMembers.show(group, user.id)), [404, '404 Not found']);
    });

    it('paginates 250 labels', async () => {
      const project = 'outer/inner/some-thing';
      const names = Array.from({ length: 250 }, (_, n) => `label ${String(n).padStart(3, '0')}`);
      for (let from = 0; from < names.length; from += 10) {
        const ten = names.slice(from, from + 10);
        await Promise.all(ten.map((name) => api.ProjectLabels.create(project, name, '#336699')));
      }
      const all = await api.ProjectLabels.all(project, { perPage: 100 });
      assert.deepEqual(
        all.map((label) => label.name),
        names,
      );
      const page = await api.ProjectLabels.all(project, { perPage: 100, page: 3, showExpanded: true });
      assert.equal(page.data.length, 50);
      assert.deepEqual(page.paginationInfo, {
        total: 250,
        next: null,
        current: 3,
        previous: 2,
        perPage: 100,
        totalPages: 3,
      });
      assert.equal((await api.ProjectLabels.all(project, { perPage: 50, maxPages: 2 })).length, 100);
    });

    it('reports why a label is rejected', async () => {
      const project = 'outer/inner/some-thing';
      const again = api.ProjectLabels.create(project, 'label 000', 'red');
      assert.deepEqual(await refusal(again), [409, 'Label already exists']);
      const nameless = api.ProjectLabels.create(project, '', 'red');
      assert.deepEqual(await refusal(nameless), [400, `{"title":["can't be blank"]}`]);
      assert.deepEqual(await refusal(api.ProjectLabels.remove(project, 'none')), [404, '404 Label Not Found']);
      await api.ProjectLabels.remove(project, 'label 000');
      const odd = await api.ProjectLabels.create(project, 'needs / encoding: ü', 'red');
      assert.equal((await api.ProjectLabels.show(project, 'needs / encoding: ü')).id, odd.id);
    });

    it('paginates projects by keyset', async () => {
      for (const name of ['one', 'two', 'three', 'four', 'five']) await api.Projects.create({ name });
      const walked = await api.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 2 });
      const listed = await api.Projects.all({ orderBy: 'id', sort: 'asc' });
      assert.deepEqual(
        walked.map((one) => one.id),
        listed.map((one) => one.id),
      );
      assert.equal(walked.length, 6);
    });

    it('deletes and restores projects', async () => {
      const project = await api.Projects.create({ name: 'short lived' });
      await api.Projects.remove(project.id);
      assert.ok((await api.Projects.show(project.id)).marked_for_deletion_on);
      await api.Projects.restore(project.id);
      assert.equal((await api.Projects.show(project.id)).path, 'short-lived');
    });
  });
});
