import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('gitbeaker snippets, epics, milestones and boards', () => {
    let server: TestServer;
    let api: InstanceType<typeof Gitlab>;
    let group: number;
    let project: number;

    before(async () => {
      server = await startTestServer(engine);
      api = new Gitlab({ host: server.url, token: rootToken });
      group = (await api.Groups.create('Plans', 'plans')).id;
      project = (await api.Projects.create({ name: 'Planned', namespaceId: group })).id;
    });

    const text = async (content: unknown) =>
      content instanceof Blob ? await content.text() : typeof content === 'string' ? content : JSON.stringify(content);

    it('personal snippets', async () => {
      const made = await api.Snippets.create('Note', {
        visibility: 'private',
        files: [{ filePath: 'dir/a.txt', content: 'one\n' }],
      });
      assert.equal(made.files?.[0]?.path, 'dir/a.txt');
      const files = [{ action: 'create', filePath: 'b.txt', content: 'two\n' }];
      const edited = await api.Snippets.edit(made.id, { title: 'Renamed', files } as never);
      assert.deepEqual([edited.title, edited.files?.length], ['Renamed', 2]);
      assert.equal((await api.Snippets.show(made.id)).title, 'Renamed');
      assert.equal(await text(await api.Snippets.showContent(made.id)), 'two\n');
      assert.equal(await text(await api.Snippets.showRepositoryFileContent(made.id, 'main', 'dir/a.txt')), 'one\n');
      assert.equal((await api.Snippets.all()).length, 1);
      assert.deepEqual(await api.Snippets.all({ public: true }), []);
      await api.Snippets.remove(made.id);
      await assert.rejects(api.Snippets.show(made.id), /404 Snippet Not Found/);
    });

    it('project snippets with notes', async () => {
      const made = await api.ProjectSnippets.create(project, 'Here', {
        visibility: 'private',
        files: [{ filePath: 'a.rb', content: 'puts 1\n' }],
      });
      assert.equal((await api.ProjectSnippets.all(project)).length, 1);
      assert.equal((await api.ProjectSnippets.edit(project, made.id, { title: 'There' } as never)).title, 'There');
      assert.equal(await text(await api.ProjectSnippets.showContent(project, made.id)), 'puts 1\n');
      assert.equal(
        await text(await api.ProjectSnippets.showRepositoryFileContent(project, made.id, 'main', 'a.rb')),
        'puts 1\n',
      );
      const note = await api.ProjectSnippetNotes.create(project, made.id, 'good');
      assert.equal((await api.ProjectSnippetNotes.all(project, made.id)).length, 1);
      assert.equal((await api.ProjectSnippetNotes.show(project, made.id, note.id)).body, 'good');
      const changed = await api.ProjectSnippetNotes.edit(project, made.id, note.id, { body: 'better' });
      assert.equal(changed.body, 'better');
      await api.ProjectSnippetNotes.remove(project, made.id, note.id);
      await api.ProjectSnippets.remove(project, made.id);
      await assert.rejects(api.ProjectSnippets.show(project, made.id), /404 Not found/);
    });

    it('epics with issues and notes', async () => {
      const epic = await api.Epics.create(group, 'Epic', {
        labels: 'big',
        startDateFixed: '2026-01-01',
        startDateIsFixed: true,
      } as never);
      assert.deepEqual([epic.labels, epic.start_date], [['big'], '2026-01-01']);
      assert.equal((await api.Epics.show(group, epic.iid)).id, epic.id);
      assert.equal((await api.Epics.edit(group, epic.iid, { title: 'Epos' })).title, 'Epos');
      assert.equal((await api.Epics.all(group, { state: 'opened', search: 'pos' })).length, 1);
      const first = await api.Issues.create(project, 'first');
      const second = await api.Issues.create(project, 'second');
      const link = await api.EpicIssues.assign(group, epic.iid, first.id);
      const other = await api.EpicIssues.assign(group, epic.iid, second.id);
      await api.EpicIssues.edit(group, epic.iid, other.id as number, { moveAfterId: link.id as number });
      const issues = await api.EpicIssues.all(group, epic.iid);
      assert.deepEqual(
        issues.map(({ title }) => title),
        ['second', 'first'],
      );
      await api.EpicIssues.remove(group, epic.iid, link.id as number);
      const note = await api.EpicNotes.create(group, epic.id, 'said', { internal: true });
      assert.equal((await api.EpicNotes.show(group, epic.id, note.id)).body, 'said');
      assert.equal((await api.EpicNotes.all(group, epic.id, { sort: 'asc' })).at(-1)?.body, 'said');
      assert.equal((await api.EpicNotes.edit(group, epic.id, note.id, { body: 'resaid' })).body, 'resaid');
      await api.EpicNotes.remove(group, epic.id, note.id);
      await api.Epics.remove(group, epic.iid);
      await assert.rejects(api.Epics.show(group, epic.iid), /404 Not found/);
    });

    it('milestones', async () => {
      for (const [milestones, place] of [
        [api.ProjectMilestones, project],
        [api.GroupMilestones, group],
      ] as const) {
        const made = await milestones.create(place, `v1 of ${place}`, { dueDate: '2030-01-01' });
        assert.equal((await milestones.show(place, made.id)).due_date, '2030-01-01');
        const closed = await milestones.edit(place, made.id, { stateEvent: 'close' });
        assert.equal(closed.state, 'closed');
        assert.equal((await milestones.all(place, { state: 'closed', search: 'v1' })).length, 1);
        const issue = await api.Issues.create(project, 'due', { milestoneId: made.id });
        assert.equal((await milestones.allAssignedIssues(place, made.id))[0]?.id, issue.id);
        assert.equal((await milestones.allBurndownChartEvents(place, made.id)).length, 1);
        await milestones.remove(place, made.id);
        await assert.rejects(milestones.show(place, made.id), /404 Not found/);
      }
      const shared = await api.ProjectMilestones.create(project, 'shared');
      await api.ProjectMilestones.promote(project, shared.id);
      assert.equal((await api.GroupMilestones.all(group, { title: 'shared' })).length, 1);
    });

    it('boards and lists', async () => {
      const { id: labelId } = await api.GroupLabels.create(group, 'doing', '#00ff00');
      for (const [boards, place] of [
        [api.ProjectIssueBoards, project],
        [api.GroupIssueBoards, group],
      ] as const) {
        const board = await boards.create(place, 'Board');
        assert.equal((await boards.edit(place, board.id, { name: 'Plank', weight: 3 })).name, 'Plank');
        const list = await boards.createList(place, board.id, { labelId });
        assert.equal((await boards.showList(place, board.id, list.id)).label.name, 'doing');
        assert.equal((await boards.editList(place, board.id, list.id, 0)).position, 0);
        assert.equal((await boards.allLists(place, board.id)).length, 1);
        assert.equal((await boards.show(place, board.id)).lists?.length, 1);
        assert.equal((await boards.all(place)).length, 1);
        await boards.removeList(place, board.id, list.id);
        await boards.remove(place, board.id);
      }
    });

    it('notification settings', async () => {
      assert.equal((await api.NotificationSettings.show()).level, 'participating');
      assert.equal((await api.NotificationSettings.edit({ level: 'watch' } as never)).level, 'watch');
      assert.equal(
        (await api.NotificationSettings.edit({ groupId: group, level: 'mention' } as never)).level,
        'mention',
      );
      assert.equal((await api.NotificationSettings.show({ projectId: project })).level, 'global');
    });
  });
});
