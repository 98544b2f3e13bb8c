import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import type { Entity } from '../../src/platform/http/in-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { addMember, addPerson, addProject, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const shown =
  'title description confidential discussionLocked dueDate weight state labels { nodes { title } } assignees { nodes { username } } milestone { title }';
const change = (name: string, variables: string, input: string) => `
  mutation ($path: ID!, $iid: String!, ${variables}) {
    ${name}(input: { projectPath: $path, iid: $iid, ${input} }) { issue { ${shown} } errors }
  }`;
const create = `mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { iid ${shown} } errors } }`;
const update = `mutation ($input: UpdateIssueInput!) { updateIssue(input: $input) { issue { ${shown} } errors } }`;
const setConfidential = change('issueSetConfidential', '$on: Boolean!', 'confidential: $on');
const setLocked = change('issueSetLocked', '$on: Boolean!', 'locked: $on');
const setDueDate = change('issueSetDueDate', '$date: String', 'dueDate: $date');
const setWeight = change('issueSetWeight', '$weight: Int', 'weight: $weight');
const setAssignees = change(
  'issueSetAssignees',
  '$names: [String!]!, $mode: MutationOperationMode',
  'assigneeUsernames: $names, operationMode: $mode',
);
const createLabel = `mutation ($input: LabelCreateInput!) {
  labelCreate(input: $input) { label { id title color description } errors }
}`;
const commit = `mutation ($input: CommitCreateInput!) {
  commitCreate(input: $input) { commit { title message webPath } content errors }
}`;
const createBranch = `mutation ($input: CreateBranchInput!) {
  createBranch(input: $input) { branch { name commit { sha } } errors }
}`;

forEachEngine((engine) => {
  describe('GraphQL mutations of issues, labels, to-do items and repositories', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let id: number;
    let path: string;
    let late: string;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      const project = await addProject(server, owner, 'plans');
      await addMember(server, project, guest, Role.guest);
      id = project.id;
      path = `${owner.user.username}/plans`;
      await must(createLabel, { input: { projectPath: path, title: 'bug', color: '#ff0000' } });
      late = (await must(createLabel, { input: { projectPath: path, title: 'late' } })).label.id;
    });

    const ask = (query: string, variables: object, person: Person | null = owner) =>
      askGraphql(server, query, { ...variables }, { token: person?.token ?? null });
    /** The payload of the only mutation in a query. */
    const must = async (query: string, variables: object, person = owner) => {
      const [payload] = Object.values(await mustGraphql(server, query, { ...variables }, { token: person.token }));
      return payload as Entity;
    };
    const namesIn = ({ labels }: { labels: { nodes: { title: string }[] } }) =>
      labels.nodes.map(({ title }) => title).sort();
    const open = async (json: object = {}) => {
      const call = { token: owner.token, json: { title: 'Issue', ...json } };
      return String((await server.must(`POST /projects/${id}/issues`, call)).iid);
    };

    it('create issues with everything that the API knows', async () => {
      const milestone = await server.must(`POST /projects/${id}/milestones?title=One`, { token: owner.token });
      const { issue, errors } = await must(create, {
        input: {
          projectPath: path,
          title: 'New',
          description: 'Text',
          confidential: true,
          dueDate: '2030-01-02',
          weight: 3,
          labels: ['bug'],
          labelIds: [late],
          assigneeIds: [`gid://gitlab/User/${owner.user.id}`],
          milestoneId: `gid://gitlab/Milestone/${milestone.id}`,
        },
      });
      const { iid, labels, assignees, ...rest } = issue;
      assert.deepEqual(errors, []);
      assert.deepEqual(rest, {
        title: 'New',
        description: 'Text',
        confidential: true,
        discussionLocked: false,
        dueDate: '2030-01-02',
        weight: 3,
        state: 'opened',
        milestone: { title: 'One' },
      });
      assert.deepEqual(namesIn({ labels }), ['bug', 'late']);
      assert.deepEqual(assignees, { nodes: [{ username: owner.user.username }] });
      const stored = await server.must(`GET /projects/${id}/issues/${iid}`, { token: owner.token });
      assert.equal(stored.title, 'New');
      const invalid = await must(create, { input: { projectPath: path, title: '' } });
      assert.equal(invalid.issue, null);
      assert.equal(invalid.errors.length > 0, true);
    });

    it('update issues, and remove what is null', async () => {
      const iid = await open({ labels: 'bug', description: 'Old', due_date: '2030-01-01', weight: 2 });
      const at = { projectPath: path, iid };
      const { issue } = await must(update, { input: { ...at, title: 'Renamed', addLabelIds: [late], locked: true } });
      const first = issue;
      assert.deepEqual(namesIn(first), ['bug', 'late']);
      assert.deepEqual(
        [first.title, first.description, first.discussionLocked, first.dueDate, first.weight],
        ['Renamed', 'Old', true, '2030-01-01', 2],
      );
      const number = late.split('/').at(-1);
      const cleared = { removeLabelIds: [number], dueDate: null, weight: null, stateEvent: 'CLOSE' };
      const { issue: second } = await must(update, { input: { ...at, ...cleared } });
      const { dueDate, weight, state, title } = second;
      assert.deepEqual(namesIn(second), ['bug']);
      assert.deepEqual([dueDate, weight, state, title], [null, null, 'closed', 'Renamed']);
      const { issue: same, errors } = await must(update, { input: at });
      assert.deepEqual([same.title, errors], ['Renamed', []]);
    });

    it('set one attribute of an issue', async () => {
      const iid = await open();
      const set = async (query: string, variables: object) => (await must(query, { path, iid, ...variables })).issue;
      assert.equal((await set(setConfidential, { on: true })).confidential, true);
      assert.equal((await set(setConfidential, { on: false })).confidential, false);
      assert.equal((await set(setLocked, { on: true })).discussionLocked, true);
      assert.equal((await set(setDueDate, { date: '2031-02-03' })).dueDate, '2031-02-03');
      assert.equal((await set(setDueDate, { date: null })).dueDate, null);
      assert.equal((await set(setWeight, { weight: 5 })).weight, 5);
      assert.equal((await set(setWeight, { weight: null })).weight, null);
      const named = async (mode: string, names: string[]) =>
        (await set(setAssignees, { names, mode })).assignees.nodes.map(({ username }: Entity) => username).sort();
      const [one, two] = [guest.user.username, owner.user.username];
      assert.deepEqual(await named('REPLACE', [one]), [one]);
      assert.deepEqual(await named('APPEND', [two]), [one, two].sort());
      assert.deepEqual(await named('REMOVE', [one]), [two]);
    });

    it('are refused where the API refuses', async () => {
      const iid = await open();
      const input = { projectPath: path, title: 'No' };
      for (const person of [null, outsider]) {
        for (const [query, variables] of [
          [create, { input }],
          [update, { input: { ...input, iid } }],
          [setConfidential, { path, iid, on: true }],
          [createLabel, { input }],
          [createBranch, { input: { projectPath: path, name: 'x', ref: 'main' } }],
          [commit, { input: { projectPath: path, branch: 'main', message: 'M', actions: [] } }],
        ] as const) {
          const { body } = await ask(query, variables, person);
          assert.equal(body.errors[0].message, unavailable, query);
        }
      }
      for (const [query, variables] of [
        [setConfidential, { path, iid, on: true }],
        [setWeight, { path, iid, weight: 9 }],
        [createLabel, { input }],
      ] as const) {
        await ask(query, variables, guest);
      }
      const { confidential, weight } = await server.must(`GET /projects/${id}/issues/${iid}`, { token: owner.token });
      assert.deepEqual([confidential, weight], [false, null]);
      const labels = await server.must(`GET /projects/${id}/labels`, { token: owner.token });
      assert.deepEqual(labels.map(({ name }: { name: string }) => name).sort(), ['bug', 'late']);
      for (const label of ['gid://gitlab/ProjectLabel/987654', '987654']) {
        const { body } = await ask(update, { input: { projectPath: path, iid, addLabelIds: [label] } });
        assert.equal(body.errors[0].message, unavailable);
      }
      const both = await ask(createLabel, { input: { ...input, groupPath: path } });
      assert.match(both.body.errors[0].message, /^Exactly one of the arguments/);
    });

    it('create labels of projects and groups', async () => {
      const json = { name: 'Crew', path: 'crew' };
      await server.must('POST /groups', { token: owner.token, json });
      const input = { groupPath: 'crew', title: 'shared', color: '#00ff00', description: 'For all' };
      const { label, errors } = await must(createLabel, { input });
      const { id: gid, ...rest } = label;
      assert.match(gid, /^gid:\/\/gitlab\/GroupLabel\/\d+$/);
      assert.deepEqual(rest, { title: 'shared', color: '#00ff00', description: 'For all' });
      assert.deepEqual(errors, []);
      const again = await must(createLabel, { input });
      assert.equal(again.label, null);
      assert.equal(again.errors.length, 1);
    });

    it('complete to-do items', async () => {
      for (const title of ['First', 'Second', 'Third']) {
        const assigned = { title, assignee_ids: [guest.user.id] };
        await server.must(`POST /projects/${id}/issues`, { token: owner.token, json: assigned });
      }
      const [todo] = await server.must('GET /todos', { token: guest.token });
      const done = `mutation ($id: TodoID!) { todoMarkDone(input: { id: $id }) {
        todo { id state action body targetType author { username } project { id } } errors
      } }`;
      const gid = `gid://gitlab/Todo/${todo.id}`;
      assert.equal((await ask(done, { id: gid }, owner)).body.errors[0].message, unavailable);
      assert.deepEqual((await must(done, { id: gid }, guest)).todo, {
        id: gid,
        state: 'done',
        action: 'assigned',
        body: 'Third',
        targetType: 'ISSUE',
        author: { username: owner.user.username },
        project: { id: `gid://gitlab/Project/${id}` },
      });
      const all = 'mutation { todosMarkAllDone(input: {}) { todos { id state } errors } }';
      const { todos } = await must(all, {}, guest);
      const states = todos.map(({ state }: Entity) => state);
      assert.equal(states.length >= 2 && states.every((state: string) => state === 'done'), true);
      assert.deepEqual(await server.must('GET /todos', { token: guest.token }), []);
    });

    it('commit files and create branches', async () => {
      const actions = [
        { action: 'CREATE', filePath: 'a.txt', content: 'one\n' },
        { action: 'CREATE', filePath: 'b.txt', content: 'dHdvCg==', encoding: 'BASE64' },
      ];
      const input = { projectPath: path, branch: 'main', message: 'Add files', actions };
      const { commit: made, content, errors } = await must(commit, { input });
      assert.deepEqual([errors, content], [[], ['one\n', 'dHdvCg==']]);
      assert.equal(made.title, 'Add files');
      const file = await server.api(`GET /projects/${id}/repository/files/b.txt/raw?ref=main`, { token: owner.token });
      assert.equal(file.text, 'two\n');
      const again = await must(commit, { input });
      assert.deepEqual([again.commit, again.content], [null, null]);
      assert.equal(again.errors.length, 1);
      const branched = { projectPath: path, name: 'topic', ref: 'main' };
      const { branch } = await must(createBranch, { input: branched });
      assert.equal(branch.name, 'topic');
      assert.equal((await must(createBranch, { input: branched })).errors.length, 1);
      const moved = [{ action: 'MOVE', filePath: 'c.txt', previousPath: 'a.txt' }];
      const next = { ...input, branch: 'other', startBranch: 'topic', message: 'Move', actions: moved };
      assert.deepEqual((await must(commit, { input: next })).errors, []);
      const refused = await ask(commit, { input }, guest);
      assert.equal(refused.body.errors?.[0].message ?? refused.body.data.commitCreate.errors.length, unavailable);
    });
  });
});
