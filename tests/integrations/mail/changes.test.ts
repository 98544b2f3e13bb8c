import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { changesOf, type Plan } from '../../../src/integrations/mail/changes.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { emailsTo, settled } from '../incoming-mail/post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

describe('changes between two states', () => {
  const plan: Plan = { assigneeIds: [1], reviewerIds: [2], labelIds: [3], milestoneId: 4, draft: true };
  const cases: [string, Partial<Plan>, ReturnType<typeof changesOf>][] = [
    ['nothing', {}, []],
    ['a changed order', { assigneeIds: [1] }, []],
    ['another assignee', { assigneeIds: [5] }, [{ verb: 'assigned', ids: [5], also: [1] }]],
    ['no assignee', { assigneeIds: [] }, [{ verb: 'assigned', ids: [], also: [1] }]],
    ['one more reviewer', { reviewerIds: [2, 6] }, [{ verb: 'asked to review', ids: [2, 6], also: [] }]],
    ['one more label', { labelIds: [3, 7] }, [{ verb: 'labeled', ids: [7], also: [] }]],
    ['one label less', { labelIds: [] }, []],
    ['another milestone', { milestoneId: 8 }, [{ verb: 'planned', ids: [8], also: [] }]],
    ['no longer a draft', { draft: false }, [{ verb: 'marked as ready', ids: [], also: [] }]],
    ['no milestone', { milestoneId: null }, [{ verb: 'planned', ids: [], also: [] }]],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => assert.deepEqual(changesOf(plan, { ...plan, ...change }), expected));
  }
  it('includes a push', () =>
    assert.deepEqual(changesOf(plan, plan, { pushed: true }), [{ verb: 'pushed', ids: [], also: [] }]));
  it('includes a repeated review request', () => {
    const expected = [{ verb: 'asked to review again', ids: [2], also: [] }];
    assert.deepEqual(changesOf(plan, plan, { again: [2] }), expected);
  });
});

forEachEngine((engine) => {
  describe('emails about changes', () => {
    let server: TestServer;
    let at: string;
    let first: Person;
    let second: Person;
    let watcher: Person;

    const mailsTo = async ({ username }: Person) => {
      await settled(server);
      return (await emailsTo(server, `${username}@example.com`))
        .map(({ text }) => text.split('\n')[0] ?? '')
        .filter((line) => line.startsWith('Administrator ') && !line.includes(' the role '))
        .map((line) => line.replace('Administrator ', ''))
        .sort();
    };
    const choose = (person: Person, json: object) =>
      server.must(`PUT ${at}/notification_settings`, { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      for (const name of ['first', 'second', 'watcher']) {
        const person = await addUser(server, name);
        if (name === 'first') first = person;
        else if (name === 'second') second = person;
        else watcher = person;
      }
    });

    const project = async (name: string) => {
      const created = await server.must('POST /projects', {
        json: { name, visibility: 'private', initialize_with_readme: true },
      });
      at = `/projects/${created.id}`;
      for (const { id } of [first, second, watcher]) {
        await server.must(`POST ${at}/members`, { json: { user_id: id, access_level: 30 } });
      }
    };

    it('notify added and removed assignees of an issue, and subscribers', async () => {
      await project('Planned');
      await choose(watcher, { level: 'watch' });
      const stranger = await addUser(server, 'stranger');
      const { iid } = await server.must(`POST ${at}/issues`, { json: { title: 'Task' } });
      // Recipients are determined in the background.
      await settled(server);
      const change = (json: object) => server.must(`PUT ${at}/issues/${iid}`, { json });
      await change({ assignee_ids: [first.id] });
      await settled(server);
      await change({ assignee_ids: [second.id] });
      await change({ title: 'Renamed', due_date: '2031-01-01', assignee_ids: [second.id] });
      const given = [`assigned #1 to @${first.username}.`, `assigned #1 to @${second.username}.`];
      assert.deepEqual(await mailsTo(first), given);
      assert.deepEqual(await mailsTo(second), given.slice(1));
      assert.deepEqual(await mailsTo(watcher), [...given, 'opened #1.']);

      const milestone = await server.must(`POST ${at}/milestones`, { json: { title: 'Soon' } });
      await server.must(`POST ${at}/labels`, { json: { name: 'bug', color: '#f00' } });
      await server.must(`POST ${at}/labels/bug/subscribe`, { token: first.token });
      await choose(first, { level: 'disabled' });
      await change({ labels: 'bug,other' });
      await change({ milestone_id: milestone.id });
      await change({ labels: 'bug', milestone_id: 0 });
      assert.deepEqual(await mailsTo(first), [...given, 'marked #1 with the labels "bug", "other".']);
      assert.deepEqual(await mailsTo(second), [
        ...given.slice(1),
        'moved #1 to the milestone "Soon".',
        'removed #1 from its milestone.',
      ]);
      await change({ assignee_ids: [], state_event: 'close' });
      assert.deepEqual((await mailsTo(second)).slice(0, 2), [given[1], 'assigned #1 to nobody.']);
      assert.ok((await mailsTo(watcher)).includes('closed #1.'));
      assert.deepEqual(await mailsTo(stranger), []);
    });

    it('notify of review requests and pushes, but not watchers of pushes', async () => {
      await project('Reviewed');
      await choose(watcher, { level: 'watch' });
      const commit = (content: string, start?: object) =>
        server.must(`POST ${at}/repository/commits`, {
          json: {
            branch: 'topic',
            commit_message: content,
            actions: [{ action: start ? 'create' : 'update', file_path: 'a.txt', content }],
            ...start,
          },
        });
      await commit('one', { start_branch: 'main' });
      const json = { title: 'Topic', source_branch: 'topic', target_branch: 'main' };
      await server.must(`POST ${at}/merge_requests`, { json });
      const [early, late, watching] = [await mailsTo(first), await mailsTo(second), await mailsTo(watcher)];
      const since = async (person: Person, before: readonly string[]) => {
        const left = [...before];
        return (await mailsTo(person)).filter((line) => {
          const found = left.indexOf(line);
          if (found >= 0) left.splice(found, 1);
          return found < 0;
        });
      };
      await server.must(`PUT ${at}/merge_requests/1`, { json: { reviewer_ids: [first.id] } });
      const asked = `asked @${first.username} to review !1.`;
      assert.deepEqual(await since(first, early), [asked]);
      await choose(second, { level: 'custom', push_to_merge_request: true });
      await commit('two');
      // The push is processed asynchronously.
      await until(async () => (await since(first, early)).length === 2);
      assert.deepEqual(await since(first, early), [asked, 'pushed to !1.']);
      assert.deepEqual(await since(second, late), ['pushed to !1.']);
      assert.deepEqual(await since(watcher, watching), [asked]);
      await server.must(`PUT ${at}/merge_requests/1`, { json: { assignee_ids: [second.id], reviewer_ids: [] } });
      assert.deepEqual(await since(first, early), [asked, 'asked nobody to review !1.', 'pushed to !1.']);
      assert.ok((await since(second, late)).includes(`assigned !1 to @${second.username}.`));
    });

    it('notify eligible approvers who subscribed of new merge requests, and participants of auto-merge', async () => {
      await project('Approved');
      const approvals = { name: 'Security', approvals_required: 1, user_ids: [first.id, second.id] };
      await server.must(`POST ${at}/approval_rules`, { json: approvals });
      await choose(first, { level: 'custom', approver: true });
      await choose(second, { level: 'custom', approver: false, merge_when_pipeline_succeeds: true });
      await choose(watcher, { level: 'custom', approver: true });
      const commit = {
        branch: 'topic',
        start_branch: 'main',
        commit_message: 'One',
        actions: [{ action: 'create', file_path: 'a.txt', content: 'one' }],
      };
      await server.must(`POST ${at}/repository/commits`, { json: commit });
      const counted = async (person: Person, line: string) => (await mailsTo(person)).filter((each) => each === line);
      const before = await Promise.all([first, second, watcher].map((person) => counted(person, 'opened !1.')));
      const json = { title: 'Topic', source_branch: 'topic', target_branch: 'main' };
      await server.must(`POST ${at}/merge_requests`, { json });
      const after = await Promise.all([first, second, watcher].map((person) => counted(person, 'opened !1.')));
      const more = after.map((lines, place) => lines.length - (before[place]?.length ?? 0));
      assert.deepEqual(more, [1, 0, 0]);
      await server.must(`PUT ${at}/merge_requests/1/merge`, { json: { auto_merge: true } });
      await server.must(`PUT ${at}/merge_requests/1/merge`, { json: { auto_merge: true } });
      const set = 'set !1 to be merged when all checks pass.';
      assert.deepEqual(await counted(second, set), [set]);
      assert.deepEqual([await counted(first, set), await counted(watcher, set)], [[], []]);
    });

    it('notify a reviewer of a repeated review request', async () => {
      await project('Again');
      await choose(first, { level: 'participating' });
      const commit = {
        branch: 'topic',
        start_branch: 'main',
        commit_message: 'One',
        actions: [{ action: 'create', file_path: 'a.txt', content: 'one' }],
      };
      await server.must(`POST ${at}/repository/commits`, { json: commit });
      const json = { title: 'Topic', source_branch: 'topic', target_branch: 'main', reviewer_ids: [first.id] };
      await server.must(`POST ${at}/merge_requests`, { json });
      const asking = { json: { body: `/request_review @${first.username}` } };
      const again = async () => (await mailsTo(first)).filter((line) => line.endsWith(' again.'));
      await server.must(`POST ${at}/merge_requests/1/notes`, asking);
      assert.deepEqual(await again(), []);
      await server.must(`POST ${at}/merge_requests/1/approve`, { token: first.token });
      await server.must(`POST ${at}/merge_requests/1/notes`, asking);
      assert.deepEqual(await again(), [`asked @${first.username} to review !1 again.`]);
      await server.must(`POST ${at}/merge_requests/1/approve`);
      await server.must(`POST ${at}/merge_requests/1/unapprove`);
      const verdicts = (await mailsTo(first)).filter((line) => line.includes('approv'));
      assert.deepEqual(verdicts, ['approved !1.', 'revoked the approval of !1.']);
    });

    it('tell only the author and the user who enabled auto-merge of a conflict, and all participants that a draft is ready', async () => {
      await project('Conflicting');
      await choose(first, { level: 'participating' });
      await choose(second, { level: 'participating' });
      await choose(watcher, { level: 'watch' });
      const commit = (branch: string, content: string, more: object) =>
        server.must(`POST ${at}/repository/commits`, {
          json: { branch, commit_message: content, actions: [{ action: 'create', file_path: 'a', content }], ...more },
        });
      await commit('topic', 'one', { start_branch: 'main' });
      const json = { title: 'Draft: Topic', source_branch: 'topic', target_branch: 'main', reviewer_ids: [second.id] };
      await server.must(`POST ${at}/merge_requests`, { json, token: first.token });
      await server.must(`PUT ${at}/merge_requests/1`, { json: { title: 'Topic' } });
      await settled(server);
      const lines = async ({ username }: Person, words: string) => {
        await server.running.services.queue.drain();
        const texts = (await emailsTo(server, `${username}@example.com`)).map(({ text }) => text.split('\n')[0] ?? '');
        return texts.filter((line) => line.includes(words));
      };
      const everybody = [first, second, watcher];
      const ready = 'Administrator marked !1 as ready.';
      for (const person of everybody) assert.deepEqual(await lines(person, 'as ready'), [ready], person.username);
      await commit('main', 'two', {});
      const found = ['!1 can no longer be merged: it is in conflict with its target branch.'];
      await until(async () => (await lines(first, 'conflict')).length > 0);
      assert.deepEqual(await lines(first, 'conflict'), found, 'the author');
      assert.deepEqual(await lines(second, 'conflict'), []);
      assert.deepEqual(await lines(watcher, 'conflict'), []);
    });
  });
});
