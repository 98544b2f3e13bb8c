import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { applyOperationMode } from '../../src/graphql/merge-requests/changes.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { type ReviewScene, reviewScene } from '../support/merge-requests.ts';
import { addToken, type Person } from '../support/scene.ts';

const change = (name: string, variables: string, input: string, fields = 'iid title state') => `
  mutation ($path: ID!, $iid: String!, ${variables}) {
    ${name}(input: { projectPath: $path, iid: $iid, ${input} }) { mergeRequest { ${fields} } errors }
  }`;
const create = `
  mutation ($path: ID!, $from: String!, $title: String!, $labels: [String!]) {
    mergeRequestCreate(
      input: { projectPath: $path, sourceBranch: $from, targetBranch: "main", title: $title, labels: $labels }
    ) { mergeRequest { iid title labels { nodes { title } } author { username } } errors }
  }`;
const update = change(
  'mergeRequestUpdate',
  '$title: String, $state: MergeRequestNewState',
  'title: $title, state: $state',
);
const accept = change(
  'mergeRequestAccept',
  '$sha: String!, $message: String, $squash: Boolean',
  'sha: $sha, commitMessage: $message, squash: $squash, shouldRemoveSourceBranch: true',
  'state mergeCommitSha',
);
const reviewed = 'reviewers { nodes { username mergeRequestInteraction { reviewed approved reviewState } } }';
const setReviewers = change(
  'mergeRequestSetReviewers',
  '$names: [String!]!, $mode: MutationOperationMode',
  'reviewerUsernames: $names, operationMode: $mode',
  reviewed,
);
const setAssignees = change(
  'mergeRequestSetAssignees',
  '$names: [String!]!',
  'assigneeUsernames: $names',
  'assignees { nodes { username } }',
);
const setLabels = change(
  'mergeRequestSetLabels',
  '$ids: [LabelID!]!, $mode: MutationOperationMode',
  'labelIds: $ids, operationMode: $mode',
  'labels { nodes { title } }',
);
const setLocked = change('mergeRequestSetLocked', '$on: Boolean!', 'locked: $on', 'iid');
const setMilestone = change('mergeRequestSetMilestone', '$id: MilestoneID', 'milestoneId: $id', 'milestone { title }');
const requestReviewAgain = change('mergeRequestReviewerRereview', '$user: UserID!', 'userId: $user', reviewed);

describe('operation modes of reviewers and assignees', () => {
  const table: [mode: string | undefined, after: number[]][] = [
    [undefined, [2, 3]],
    ['REPLACE', [2, 3]],
    ['APPEND', [1, 2, 3]],
    ['REMOVE', [1]],
  ];
  for (const [mode, after] of table) {
    it(`${mode}`, () => assert.deepEqual(applyOperationMode([1, 2], [2, 3], mode), after));
  }
});

forEachEngine((engine) => {
  describe('GraphQL merge request mutations', () => {
    let scene: ReviewScene;
    let path: string;
    let iid: string;
    let sha: string;

    before(async () => {
      scene = await reviewScene(engine, 'private');
      path = `${scene.owner.user.username}/${scene.project.path}`;
      sha = await scene.branch('topic', 'new.txt', 'one\n');
      await scene.branch('other', 'other.txt', 'two\n');
      iid = String((await scene.open(scene.developer, 'topic')).iid);
    });

    const sending = (person: Person | null) => ({ token: person?.token ?? null });
    const must = (person: Person, query: string, variables = {}) =>
      mustGraphql(scene.server, query, { path, iid, ...variables }, sending(person));
    const refused = async (person: Person | null, query: string, variables = {}) => {
      const { body } = await askGraphql(scene.server, query, { path, iid, ...variables }, sending(person));
      assert.equal(body.errors?.[0]?.message, unavailable);
    };
    const names = (list: { nodes: { username: string }[] }) => list.nodes.map(({ username }) => username);

    it('mergeRequestCreate creates a merge request or returns validation errors', async () => {
      const variables = { from: 'other', title: 'Another', labels: ['bug'] };
      const { mergeRequestCreate: created } = await must(scene.developer, create, variables);
      assert.deepEqual([created.errors, created.mergeRequest.title], [[], 'Another']);
      assert.deepEqual(created.mergeRequest.labels.nodes, [{ title: 'bug' }]);
      assert.equal(created.mergeRequest.author.username, scene.developer.user.username);
      const again = (await must(scene.developer, create, variables)).mergeRequestCreate;
      assert.equal(again.mergeRequest, null);
      assert.match(again.errors[0], /Another open merge request already exists/);
      const bad = (await must(scene.developer, create, { from: 'topic', title: ' ' })).mergeRequestCreate;
      assert.ok(bad.errors.length > 0);
      for (const person of [scene.outsider, scene.reporter, null]) {
        await refused(person, create, { from: 'topic', title: 'x' });
      }
      await refused(scene.developer, create, { path: 'no/where', from: 'topic', title: 'x' });
    });

    it('mergeRequestUpdate edits, closes and reopens a merge request', async () => {
      const { mergeRequestUpdate: named } = await must(scene.developer, update, { title: 'Better' });
      assert.deepEqual(named, { mergeRequest: { iid, title: 'Better', state: 'opened' }, errors: [] });
      const { mergeRequestUpdate: same } = await must(scene.developer, update, {});
      assert.deepEqual(same, named);
      const { mergeRequestUpdate: blank } = await must(scene.developer, update, { title: ' ' });
      assert.deepEqual([blank.mergeRequest.title, blank.errors.length], ['Better', 1]);
      const closed = await must(scene.developer, update, { state: 'CLOSED' });
      assert.equal(closed.mergeRequestUpdate.mergeRequest.state, 'closed');
      const reopened = await must(scene.developer, update, { state: 'OPEN' });
      assert.equal(reopened.mergeRequestUpdate.mergeRequest.state, 'opened');
      for (const person of [scene.outsider, scene.reporter, null]) await refused(person, update, { state: 'CLOSED' });
      for (const wrong of ['0', '999', 'x', '1 or 1'])
        await refused(scene.developer, update, { iid: wrong, title: 'y' });
    });

    it('rejects mutations with a read_api token', async () => {
      const token = await addToken(scene.server, scene.developer.user, ['read_api']);
      await refused({ ...scene.developer, token }, update, { title: 'Read' });
      const { body } = await scene.api(scene.owner, `GET ${scene.base}/${iid}`);
      assert.equal(body.title, 'Better');
    });

    it('mergeRequestSetReviewers sets reviewers, and mergeRequestReviewerRereview requests another review', async () => {
      const { owner, reporter, developer } = scene;
      const both = [reporter.user.username, owner.user.username];
      const first = await must(developer, setReviewers, { names: [both[0]] });
      assert.deepEqual(names(first.mergeRequestSetReviewers.mergeRequest.reviewers), [both[0]]);
      const added = await must(developer, setReviewers, { names: [both[1]], mode: 'APPEND' });
      assert.deepEqual(names(added.mergeRequestSetReviewers.mergeRequest.reviewers).sort(), [...both].sort());
      const removed = await must(developer, setReviewers, { names: [both[1]], mode: 'REMOVE' });
      assert.deepEqual(names(removed.mergeRequestSetReviewers.mergeRequest.reviewers), [both[0]]);

      await scene.api(reporter, `POST ${scene.base}/${iid}/draft_notes`, { json: { note: 'Fine' } });
      await scene.api(reporter, `POST ${scene.base}/${iid}/draft_notes/bulk_publish`);
      const state = async () => {
        const query = `query ($path: ID!, $iid: String!) { project(fullPath: $path) { mergeRequest(iid: $iid) { ${reviewed} } } }`;
        return (await must(owner, query)).project.mergeRequest.reviewers.nodes[0].mergeRequestInteraction;
      };
      assert.deepEqual(await state(), { reviewed: true, approved: false, reviewState: 'REVIEWED' });
      const user = `gid://gitlab/User/${reporter.user.id}`;
      for (const person of [scene.outsider, reporter, null]) await refused(person, requestReviewAgain, { user });
      assert.equal((await state()).reviewed, true);
      const again = await must(developer, requestReviewAgain, { user });
      assert.deepEqual(again.mergeRequestReviewerRereview.errors, []);
      assert.deepEqual(await state(), { reviewed: false, approved: false, reviewState: 'UNREVIEWED' });
      const nobody = await must(developer, requestReviewAgain, { user: `gid://gitlab/User/${owner.user.id}` });
      assert.deepEqual(nobody.mergeRequestReviewerRereview.errors, ['Reviewer not found']);
      await refused(scene.outsider, setReviewers, { names: [] });
    });

    it('mergeRequestSetAssignees sets the assignees', async () => {
      const { username } = scene.reporter.user;
      const assigned = await must(scene.developer, setAssignees, { names: [username, 'nobody-at-all'] });
      assert.deepEqual(names(assigned.mergeRequestSetAssignees.mergeRequest.assignees), [username]);
      const nobody = await must(scene.developer, setAssignees, { names: [] });
      assert.deepEqual(names(nobody.mergeRequestSetAssignees.mergeRequest.assignees), []);
      await refused(scene.outsider, setAssignees, { names: [] });
    });

    it('mergeRequestSetLabels, SetMilestone and SetLocked set one attribute', async () => {
      const at = `/projects/${scene.project.id}`;
      const make = async (what: string, json: object) =>
        (await scene.api(scene.owner, `POST ${at}/${what}`, { json })).body.id;
      const [one, two] = [
        await make('labels', { name: 'one', color: 'red' }),
        await make('labels', { name: 'two', color: 'red' }),
      ];
      const labelled = async (mode: string, ...ids: number[]) => {
        const gids = ids.map((id) => `gid://gitlab/ProjectLabel/${id}`);
        const { mergeRequestSetLabels: done } = await must(scene.developer, setLabels, { ids: gids, mode });
        assert.deepEqual(done.errors, []);
        return done.mergeRequest.labels.nodes.map(({ title }: { title: string }) => title).sort();
      };
      assert.deepEqual(await labelled('REPLACE', one), ['one']);
      assert.deepEqual(await labelled('APPEND', two), ['one', 'two']);
      assert.deepEqual(await labelled('APPEND'), ['one', 'two']);
      assert.deepEqual(await labelled('REMOVE', one), ['two']);
      assert.deepEqual(await labelled('REPLACE'), []);
      const id = `gid://gitlab/Milestone/${await make('milestones', { title: 'Soon' })}`;
      const timed = await must(scene.developer, setMilestone, { id });
      assert.equal(timed.mergeRequestSetMilestone.mergeRequest.milestone.title, 'Soon');
      const untimed = await must(scene.developer, setMilestone, { id: null });
      assert.equal(untimed.mergeRequestSetMilestone.mergeRequest.milestone, null);
      for (const on of [true, false]) {
        assert.deepEqual((await must(scene.developer, setLocked, { on })).mergeRequestSetLocked.errors, []);
        assert.equal((await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body.discussion_locked, on);
      }
      await refused(scene.outsider, setLabels, { ids: [] });
      await refused(scene.outsider, setLocked, { on: true });
      await refused(null, setMilestone, { id });
    });

    it('mergeRequestAccept merges if the caller may', async () => {
      for (const person of [scene.outsider, scene.reporter, scene.developer, null]) {
        await refused(person, accept, { sha });
      }
      const wrong = (await must(scene.owner, accept, { sha: '0'.repeat(40) })).mergeRequestAccept;
      assert.deepEqual([wrong.mergeRequest.state, wrong.errors.length], ['opened', 1]);
      const { mergeRequestAccept: merged } = await must(scene.owner, accept, { sha, message: 'Well done' });
      assert.deepEqual([merged.mergeRequest.state, merged.errors], ['merged', []]);
      const { mergeCommitSha } = merged.mergeRequest;
      const { body } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/repository/commits/${mergeCommitSha}`,
      );
      assert.equal(body.message, 'Well done');
      const twice = (await must(scene.owner, accept, { sha })).mergeRequestAccept;
      assert.deepEqual([twice.mergeRequest.state, twice.errors.length], ['merged', 1]);
    });
  });
});
