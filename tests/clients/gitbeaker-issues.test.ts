import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import type { Api } from './gitbeaker-scene.ts';
import { Ticks } from './gitbeaker-ticks.ts';

const resources = [
  'Issues IssuesStatistics IssueLinks IssueNotes IssueDiscussions IssueAwardEmojis IssueNoteAwardEmojis',
  'IssueStateEvents IssueLabelEvents IssueMilestoneEvents IssueWeightEvents IssueIterationEvents',
  'Epics EpicLinks LinkedEpics EpicDiscussions EpicAwardEmojis EpicLabelEvents EpicStateEvents GroupEpicBoards',
  'ProjectLabels GroupLabels ProjectIterations GroupIterations TodoLists Markdown CommitDiscussions',
  'ProjectSnippetDiscussions ProjectSnippetAwardEmojis ProjectMarkdownUploads GroupMarkdownUploads',
].flatMap((line) => line.split(' '));

/** Methods with URLs that differ from the documentation (`/project/:id/iterations`, `/epics/:iid/links`). */
const elsewhere = [
  'EpicAwardEmojis.all EpicAwardEmojis.award EpicAwardEmojis.remove EpicAwardEmojis.show',
  'EpicLinks.all EpicLinks.assign EpicLinks.create EpicLinks.reorder EpicLinks.unassign Epics.createTodo',
  'GroupLabels.subscribe GroupLabels.unsubscribe ProjectIterations.all ProjectLabels.subscribe',
  'Issues.showUserAgentDetails ProjectLabels.unsubscribe',
].flatMap((line) => line.split(' '));

/** Methods for features that Hearth does not have: files in the texts of groups. */
const absent =
  'GroupLabels.promote GroupMarkdownUploads.all GroupMarkdownUploads.download GroupMarkdownUploads.remove'.split(' ');

forEachEngine((engine) => {
  describe('gitbeaker planning resources', () => {
    const ticks = new Ticks();
    let server: TestServer;
    let api: Api;
    let group: number;
    let project: number;
    let sha: string;

    before(async () => {
      server = await startTestServer(engine);
      api = ticks.watch(new Gitlab({ host: server.url, token: rootToken }));
      group = (await api.Groups.create('Plans', 'plans')).id;
      const made = await api.Projects.create({ name: 'Planned', namespaceId: group, initializeWithReadme: true });
      project = made.id;
      sha = (await api.Commits.show(project, 'main')).id;
    });

    it('issues', async () => {
      const { iid, id } = await api.Issues.create(project, 'First', { description: 'text', labels: 'bug,later' });
      const other = await api.Issues.create(project, 'Second', { weight: 2, confidential: true } as never);
      assert.equal((await api.Issues.edit(project, iid, { addLabels: 'soon', stateEvent: 'close' })).state, 'closed');
      assert.equal((await api.Issues.edit(project, iid, { stateEvent: 'reopen' })).state, 'opened');
      assert.equal((await api.Issues.show(id)).iid, iid);
      assert.equal((await api.Issues.show(iid, { projectId: project })).id, id);
      const titles = async (options: object) => (await api.Issues.all(options as never)).map(({ title }) => title);
      assert.deepEqual(await titles({ projectId: project, confidential: true }), ['Second']);
      assert.deepEqual(await titles({ groupId: group, labels: 'bug,soon', not: { labels: 'never' } }), ['First']);
      assert.deepEqual(await titles({ scope: 'all', iids: [iid], orderBy: 'due_date' }), ['First']);
      const { statistics } = await api.IssuesStatistics.all({ projectId: project });
      assert.equal(statistics.counts.all, 2);
      assert.equal((await api.IssuesStatistics.all({ groupId: group })).statistics.counts.opened, 2);
      assert.equal((await api.IssuesStatistics.all({ scope: 'all' })).statistics.counts.closed, 0);
      await api.Issues.reorder(project, iid, { moveAfterId: other.id });
      assert.equal((await api.Issues.unsubscribe(project, other.iid)).subscribed, false);
      assert.equal((await api.Issues.subscribe(project, other.iid)).subscribed, true);
      assert.equal((await api.Issues.allParticipants(project, iid))[0]?.username, 'root');
      assert.deepEqual(await api.Issues.allRelatedMergeRequests(project, iid), []);
      assert.deepEqual(await api.Issues.allClosedByMergeRequestst(project, iid), []);
      const link = await api.IssueLinks.create(project, iid, project, other.iid, { linkType: 'blocks' });
      const [linked] = await api.IssueLinks.all(project, iid);
      assert.equal(linked?.iid, other.iid);
      await api.IssueLinks.remove(project, iid, (link as { id?: number }).id ?? Number(linked?.issue_link_id));
      assert.deepEqual(await api.IssueLinks.all(project, iid), []);
    });

    it('time tracking', async () => {
      const { iid } = await api.Issues.create(project, 'Timed');
      await api.Issues.addTimeEstimate(project, iid, '1d 2h');
      const spent = await api.Issues.addSpentTime(project, iid, '90m', { summary: 'thought' });
      assert.deepEqual([spent.time_estimate, spent.total_time_spent], [36_000, 5400]);
      assert.equal((await api.Issues.showTimeStats(project, iid)).human_total_time_spent, '1h 30m');
      assert.equal((await api.Issues.resetTimeEstimate(project, iid)).time_estimate, 0);
      assert.equal((await api.Issues.resetSpentTime(project, iid)).total_time_spent, 0);
    });

    it('metric images', async () => {
      const { iid } = await api.Issues.create(project, 'Slow', { issueType: 'incident' });
      const picture = { content: new Blob(['a chart']), filename: 'chart.png' };
      const url = 'https://charts.example.com';
      const { id, filename } = await api.Issues.uploadMetricImage(project, iid, picture, { url });
      assert.equal(filename, 'chart.png');
      const edited = await api.Issues.editMetricImage(project, iid, id, { urlText: 'p99' });
      assert.deepEqual([edited.url, edited.url_text], [url, 'p99']);
      assert.deepEqual(await api.Issues.allMetricImages(project, iid), [edited]);
      await api.Issues.removeMetricImage(project, iid, id);
      assert.deepEqual(await api.Issues.allMetricImages(project, iid), []);
    });

    it('moving, cloning, promoting and deleting', async () => {
      const away = await api.Projects.create({ name: 'Away', namespaceId: group });
      const first = await api.Issues.create(project, 'Wanderer');
      const copy = await api.Issues.clone(project, first.iid, away.id, { withNotes: true });
      assert.deepEqual([copy.title, copy.project_id], ['Wanderer', away.id]);
      const moved = await api.Issues.move(project, first.iid, away.id);
      assert.equal(moved.project_id, away.id);
      await api.Issues.promote(away.id, moved.iid, '/promote');
      assert.ok((await api.Epics.all(group)).some(({ title }) => title === 'Wanderer'));
      await api.Issues.remove(away.id, copy.iid);
      await assert.rejects(api.Issues.show(copy.iid, { projectId: away.id }), /404/);
    });

    it('notes, discussions and award emoji', async () => {
      const { iid } = await api.Issues.create(project, 'Talked about');
      const snippet = await api.ProjectSnippets.create(project, 'Talked about', {
        visibility: 'private',
        files: [{ filePath: 'a.rb', content: 'puts 1\n' }],
      });
      const epic = await api.Epics.create(group, 'Talked about');
      const note = await api.IssueNotes.create(project, iid, 'said', { internal: true });
      assert.equal((await api.IssueNotes.show(project, iid, note.id)).body, 'said');
      assert.equal((await api.IssueNotes.edit(project, iid, note.id, { body: 'resaid' })).body, 'resaid');
      assert.equal((await api.IssueNotes.all(project, iid, { sort: 'asc' })).at(-1)?.body, 'resaid');
      const onNote = await api.IssueNoteAwardEmojis.award(project, iid, note.id, 'heart');
      assert.equal((await api.IssueNoteAwardEmojis.all(project, iid, note.id)).length, 1);
      assert.equal((await api.IssueNoteAwardEmojis.show(project, iid, note.id, onNote.id)).name, 'heart');
      await api.IssueNoteAwardEmojis.remove(project, iid, note.id, onNote.id);
      await api.IssueNotes.remove(project, iid, note.id);
      for (const [threads, place, of] of [
        [api.IssueDiscussions, project, iid],
        [api.ProjectSnippetDiscussions, project, snippet.id],
        [api.EpicDiscussions, group, epic.id],
        [api.CommitDiscussions, project, sha],
      ] as const) {
        const thread = await threads.create(place, of as never, 'opening');
        const answer = await threads.addNote(place, of as never, thread.id, 'answer');
        assert.equal((await threads.show(place, of as never, thread.id)).notes?.length, 2);
        const edited = await threads.editNote(place, of as never, thread.id, answer.id, { body: 'better' });
        assert.equal((edited as { body?: string }).body, 'better');
        await threads.removeNote(place, of as never, thread.id, answer.id);
        const all = await threads.all(place, of as never);
        assert.equal(all.find(({ id }) => id === thread.id)?.notes?.length, 1);
      }
      for (const [emojis, place, of] of [
        [api.IssueAwardEmojis, project, iid],
        [api.ProjectSnippetAwardEmojis, project, snippet.id],
      ] as const) {
        const award = await emojis.award(place, of, 'thumbsup');
        assert.equal((await emojis.show(place, of, award.id)).name, 'thumbsup');
        assert.equal((await emojis.all(place, of)).length, 1);
        await emojis.remove(place, of, award.id);
        assert.deepEqual(await emojis.all(place, of), []);
      }
    });

    it('resource events', async () => {
      const milestone = await api.ProjectMilestones.create(project, 'recorded');
      const { iid } = await api.Issues.create(project, 'Changed');
      const cadence = { title: 'weekly', start_date: '2026-01-05', duration_in_weeks: 1, iterations_in_advance: 2 };
      // gitbeaker has no method for iteration cadences.
      await server.must(`POST /groups/${group}/iteration_cadences`, { json: cadence });
      const [iteration] = await api.GroupIterations.all(group);
      const change = { milestoneId: milestone.id, addLabels: 'bug', weight: 3, stateEvent: 'close' } as const;
      await api.Issues.edit(project, iid, change);
      await api.IssueNotes.create(project, iid, `/iteration *iteration:${iteration?.id}`);
      for (const events of [
        api.IssueStateEvents,
        api.IssueLabelEvents,
        api.IssueMilestoneEvents,
        api.IssueWeightEvents,
        api.IssueIterationEvents,
      ]) {
        const [first] = (await events.all(project, iid)) as { id: number }[];
        assert.ok(first, events.constructor.name);
        assert.equal(((await events.show(project, iid, first.id)) as { id: number }).id, first.id);
      }
    });

    it('epics, links and boards', async () => {
      const epic = await api.Epics.create(group, 'Above', { labels: 'big' } as never);
      const second = await api.Epics.create(group, 'Beside');
      await api.LinkedEpics.create(group, epic.iid, second.iid, group);
      const [related] = await api.LinkedEpics.all(group, epic.iid);
      assert.equal(related?.id, second.id);
      await api.LinkedEpics.remove(group, epic.iid, Number(related?.related_epic_link_id));
      await api.Epics.edit(group, epic.iid, { stateEvent: 'close' } as never);
      for (const events of [api.EpicStateEvents, api.EpicLabelEvents]) {
        const [first] = await events.all(group, epic.id);
        assert.equal((await events.show(group, epic.id, Number(first?.id))).id, first?.id);
      }
      assert.equal((await api.Epics.show(group, epic.iid)).state, 'closed');
      await api.Epics.remove(group, second.iid);
      // Nor for creating epic boards.
      const { id } = await server.must(`POST /groups/${group}/epic_boards`, { json: { name: 'Epics' } });
      const label_id = (await api.GroupLabels.create(group, 'doing', '#336699')).id;
      await server.must(`POST /groups/${group}/epic_boards/${id}/lists`, { json: { label_id } });
      assert.equal((await api.GroupEpicBoards.all(group))[0]?.id, id);
      assert.equal((await api.GroupEpicBoards.show(group, id)).name, 'Epics');
      const list = (await api.GroupEpicBoards.allLists(group, id)).find(({ label }) => label?.name === 'doing');
      assert.equal((await api.GroupEpicBoards.showList(group, id, Number(list?.id))).id, list?.id);
    });

    it('labels', async () => {
      for (const [labels, place] of [
        [api.ProjectLabels, project],
        [api.GroupLabels, group],
      ] as const) {
        const label = await labels.create(place, `label ${place}`, '#336699', { description: 'what' });
        assert.equal((await labels.show(place, label.id)).name, `label ${place}`);
        assert.equal(
          (await labels.edit(place, label.id, { newName: `named ${place}` } as never)).name,
          `named ${place}`,
        );
        assert.equal((await labels.all(place, { search: 'named', withCounts: true } as never)).length, 1);
        await labels.remove(place, label.id);
      }
      const shared = await api.ProjectLabels.create(project, 'shared', '#ff0000');
      await api.ProjectLabels.promote(project, shared.id);
      assert.equal((await api.GroupLabels.all(group, { search: 'shared' })).length, 1);
    });

    it('to-do items, Markdown and uploads', async () => {
      const { iid } = await api.Issues.create(project, 'To be done');
      const todo = await api.Issues.createTodo(project, iid);
      assert.ok((await api.TodoLists.all({ projectId: project, type: 'Issue' })).some(({ id }) => id === todo.id));
      assert.equal((await api.TodoLists.done({ todoId: todo.id })).state, 'done');
      await api.TodoLists.done();
      assert.deepEqual(await api.TodoLists.all(), []);
      const { html } = await api.Markdown.render(`see #${iid}`, { gfm: true, project: 'plans/planned' } as never);
      assert.match(String(html), /To be done|issues\//);
      const file = { content: new Blob(['attached']), filename: 'a.txt' };
      await api.ProjectMarkdownUploads.create(project, file);
      const [upload] = await api.ProjectMarkdownUploads.all(project);
      assert.ok(upload);
      const content = (await api.ProjectMarkdownUploads.download(project, upload.id)) as unknown as Blob;
      assert.equal(await content.text(), 'attached');
      await api.ProjectMarkdownUploads.remove(project, upload.id);
    });

    it('every method has been called', () => {
      assert.deepEqual(ticks.left(api, resources), [...elsewhere, ...absent].sort());
    });
  });
});
