import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import type { Entity } from '../../src/platform/http/in-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { addMember, addPerson, addProject, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const shown = `workItem {
  id iid title state confidential description workItemType { name } namespace { fullPath }
  widgets {
    ... on WorkItemWidgetAssignees { assignees { nodes { username } } }
    ... on WorkItemWidgetHealthStatus { healthStatus }
    ... on WorkItemWidgetIteration { iteration { id } }
    ... on WorkItemWidgetLabels { labels { nodes { title } } }
    ... on WorkItemWidgetMilestone { milestone { title } }
    ... on WorkItemWidgetStartAndDueDate { dueDate }
    ... on WorkItemWidgetWeight { weight }
  }
}`;
const mutationOf = (name: string, fields: string) => {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return `mutation ($input: ${type}Input!) { ${name}(input: $input) { ${fields} errors } }`;
};
const mutations = {
  create: mutationOf('workItemCreate', shown),
  update: mutationOf('workItemUpdate', shown),
  convert: mutationOf('workItemConvert', shown),
  remove: mutationOf('workItemDelete', 'project { fullPath }'),
  link: mutationOf('workItemAddLinkedItems', 'workItem { iid }'),
  unlink: mutationOf('workItemRemoveLinkedItems', 'workItem { iid }'),
  move: mutationOf('issueMove', 'issue { title webUrl }'),
} as const;

const linked = `query ($path: ID!, $iid: String!, $filter: WorkItemRelatedLinkType) {
  namespace(fullPath: $path) { workItem(iid: $iid) { widgets(onlyTypes: [LINKED_ITEMS]) {
    ... on WorkItemWidgetLinkedItems {
      blocked blockedByCount blockingCount
      linkedItems(filter: $filter) { nodes { linkType workItemState workItem { iid namespace { fullPath } } } }
    }
  } } }
}`;

const type = (id: number) => `gid://gitlab/WorkItems::Type/${id}`;
const workItem = (id: number | string) => `gid://gitlab/WorkItem/${id}`;

forEachEngine((engine) => {
  describe('GraphQL mutations of work items', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let path: string;
    let label: string;
    let milestone: string;
    let first: string;

    const ask = (person: Person | null, name: keyof typeof mutations, input: object) =>
      askGraphql(server, mutations[name], { input }, { token: person?.token ?? null });
    const must = async (name: keyof typeof mutations, input: object, person = owner): Promise<Entity> => {
      const data = await mustGraphql(server, mutations[name], { input }, { token: person.token });
      return Object.values(data)[0] as Entity;
    };
    const widgetsOf = ({ workItem: { widgets } }: Entity) => Object.assign({}, ...widgets);
    const refused = async (person: Person | null, name: keyof typeof mutations, input: object) => {
      const { body } = await ask(person, name, input);
      assert.deepEqual([body.errors?.[0].message, Object.values(body.data)[0]], [unavailable, null]);
    };
    const add = async (title: string, typeId = 1) =>
      (await must('create', { namespacePath: path, title, workItemTypeId: type(typeId) })).workItem;
    const read = async (iid: string) =>
      (await server.api(`GET /projects/${encodeURIComponent(path)}/issues/${iid}`, { token: owner.token })).body;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      const project = await addProject(server, owner, 'items');
      path = `${owner.user.username}/items`;
      await addMember(server, project, guest, Role.guest);
      const made = (kind: string, json: object) =>
        server.must(`POST /projects/${project.id}/${kind}`, { token: owner.token, json });
      label = `gid://gitlab/ProjectLabel/${(await made('labels', { name: 'bug', color: 'red' })).id}`;
      milestone = `gid://gitlab/Milestone/${(await made('milestones', { title: 'One' })).id}`;
    });

    it('create one with its widgets', async () => {
      const made = await must('create', {
        namespacePath: path,
        title: 'A task',
        workItemTypeId: type(5),
        confidential: true,
        assigneesWidget: { assigneeIds: [`gid://gitlab/User/${owner.user.id}`] },
        descriptionWidget: { description: 'Do it' },
        labelsWidget: { labelIds: [label] },
        milestoneWidget: { milestoneId: milestone },
        startAndDueDateWidget: { dueDate: '2030-01-02' },
        weightWidget: { weight: 3 },
      });
      first = made.workItem.id;
      const { title, state, confidential, description, workItemType, namespace } = made.workItem;
      assert.deepEqual([title, state, confidential, description], ['A task', 'OPEN', true, 'Do it']);
      assert.deepEqual([workItemType.name, namespace.fullPath], ['Task', path]);
      assert.deepEqual(widgetsOf(made), {
        assignees: { nodes: [{ username: owner.user.username }] },
        healthStatus: null,
        iteration: null,
        labels: { nodes: [{ title: 'bug' }] },
        milestone: { title: 'One' },
        dueDate: '2030-01-02',
        weight: 3,
      });
    });

    it('change what was sent, and only that', async () => {
      const renamed = await must('update', { id: first, title: 'The task', weightWidget: { weight: null } });
      assert.deepEqual(
        [renamed.errors, renamed.workItem.title, renamed.workItem.description],
        [[], 'The task', 'Do it'],
      );
      const left = widgetsOf(renamed);
      assert.deepEqual([left.weight, left.milestone, left.dueDate], [null, { title: 'One' }, '2030-01-02']);
      const emptied = await must('update', {
        id: first,
        stateEvent: 'CLOSE',
        confidential: false,
        assigneesWidget: { assigneeIds: [] },
        labelsWidget: { removeLabelIds: [label] },
        milestoneWidget: { milestoneId: null },
        startAndDueDateWidget: { dueDate: null },
      });
      assert.deepEqual([emptied.workItem.state, emptied.workItem.confidential], ['CLOSED', false]);
      assert.deepEqual(widgetsOf(emptied), {
        assignees: { nodes: [] },
        healthStatus: null,
        iteration: null,
        labels: { nodes: [] },
        milestone: null,
        dueDate: null,
        weight: null,
      });
      const again = await must('update', { id: first, stateEvent: 'REOPEN', labelsWidget: { addLabelIds: [label] } });
      assert.deepEqual([again.workItem.state, widgetsOf(again).labels.nodes], ['OPEN', [{ title: 'bug' }]]);
    });

    it('report broken rules as errors', async () => {
      const { workItem, errors } = await must('update', { id: first, title: ' ' });
      assert.deepEqual([workItem.title, errors], ['The task', ["Title can't be blank"]]);
      const none = await must('create', { namespacePath: path, title: '', workItemTypeId: type(1) });
      assert.deepEqual([none.workItem, none.errors], [null, ["Title can't be blank"]]);
    });

    it('convert one to another type', async () => {
      const { workItem } = await must('convert', { id: first, workItemTypeId: type(2) });
      assert.equal(workItem.workItemType.name, 'Incident');
      await refused(owner, 'convert', { id: first, workItemTypeId: type(8) });
    });

    it('link them in each way, and unlink them', async () => {
      const [one, two, three] = [await add('one'), await add('two'), await add('three')];
      const shownLinks = async (filter?: string) => {
        const variables = { path, iid: one.iid, filter };
        const data = await mustGraphql(server, linked, variables, { token: owner.token });
        return data.namespace.workItem.widgets[0];
      };
      await must('link', { id: one.id, workItemsIds: [two.id] });
      await must('link', { id: one.id, workItemsIds: [three.id], linkType: 'BLOCKED_BY' });
      const { linkedItems, ...counts } = await shownLinks();
      assert.deepEqual(counts, { blocked: true, blockedByCount: 1, blockingCount: 0 });
      assert.deepEqual(
        linkedItems.nodes.map(({ linkType, workItem: { iid, namespace } }: Entity) => [
          linkType,
          iid,
          namespace.fullPath,
        ]),
        [
          ['relates_to', two.iid, path],
          ['is_blocked_by', three.iid, path],
        ],
      );
      assert.equal((await shownLinks('BLOCKED_BY')).linkedItems.nodes.length, 1);
      await must('update', { id: three.id, stateEvent: 'CLOSE' });
      assert.equal((await shownLinks()).blocked, false, 'what is closed blocks nothing');
      const twice = await must('link', { id: one.id, workItemsIds: [two.id] });
      assert.match(twice.errors[0], /already/i);
      const eleven = await ask(owner, 'link', { id: one.id, workItemsIds: Array.from({ length: 11 }, () => two.id) });
      assert.match(eleven.body.errors[0].message, /No more than 10 work items/);
      await refused(guest, 'link', { id: one.id, workItemsIds: [workItem(999999)] });
      await must('unlink', { id: one.id, workItemsIds: [two.id, three.id] });
      assert.deepEqual((await shownLinks()).linkedItems.nodes, []);
      await refused(owner, 'unlink', { id: one.id, workItemsIds: [two.id] });
    });

    it('set and remove the health status and the iteration', async () => {
      const post = (at: string, json: object) => server.must(`POST ${at}`, { token: owner.token, json });
      const group = await post('/groups', { name: 'Planners', path: `planners-${owner.user.username}` });
      const project = await post('/projects', { name: 'Planned', namespace_id: group.id });
      await addMember(server, project, guest, Role.guest);
      const start_date = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      await post(`/groups/${group.id}/iteration_cadences`, { title: 'Weekly', start_date, duration_in_weeks: 1 });
      const at = `GET /groups/${group.id}/iterations?state=opened`;
      const [{ id: iterationId }] = await server.must(at, { token: owner.token });
      const iteration = `gid://gitlab/Iteration/${iterationId}`;
      const both = (healthStatus: string | null, id: string | null) => ({
        healthStatusWidget: { healthStatus },
        iterationWidget: { iterationId: id },
      });
      const shownOf = (answer: Entity) => {
        const { healthStatus, iteration: shown } = widgetsOf(answer);
        return [answer.errors, answer.workItem.title, healthStatus, shown?.id ?? null];
      };
      const start = { namespacePath: project.path_with_namespace, title: 'Ill', workItemTypeId: type(1) };
      const made = await must('create', { ...start, ...both('needsAttention', iteration) });
      assert.deepEqual(shownOf(made), [[], 'Ill', 'needsAttention', iteration]);
      const { id } = made.workItem;
      const better = await must('update', { id, title: 'Better', healthStatusWidget: { healthStatus: 'onTrack' } });
      assert.deepEqual(shownOf(better), [[], 'Better', 'onTrack', iteration]);
      const wrong = await must('update', { id, ...both('atRisk', 'gid://gitlab/Iteration/999999') });
      assert.equal(wrong.errors.length, 1);
      assert.deepEqual(shownOf(wrong).slice(1), ['Better', 'atRisk', iteration]);
      await refused(guest, 'update', { id, ...both('onTrack', null) });
      await refused(outsider, 'update', { id, ...both('onTrack', null) });
      const ofGuest = await must('create', { ...start, ...both('onTrack', iteration) }, guest);
      assert.deepEqual(shownOf(ofGuest), [[], 'Ill', null, null]);
      assert.deepEqual(shownOf(await must('update', { id, ...both(null, null) })), [[], 'Better', null, null]);
      assert.deepEqual(shownOf(await must('update', { id, ...both(null, null) })), [[], 'Better', null, null]);
    });

    it('move one to another project', async () => {
      await addProject(server, owner, 'target');
      const target = `${owner.user.username}/target`;
      const { iid } = await add('moving');
      const { issue } = await must('move', { projectPath: path, iid, targetProjectPath: target });
      assert.equal(issue.title, 'moving');
      assert.ok(issue.webUrl.includes(`/${target}/-/issues/`));
      await refused(guest, 'move', { projectPath: path, iid, targetProjectPath: target });
    });

    it('delete one', async () => {
      const { id, iid } = await add('short-lived');
      await refused(guest, 'remove', { id });
      assert.deepEqual(await must('remove', { id }), { project: { fullPath: path }, errors: [] });
      assert.equal((await read(iid)).message, '404 Not found');
    });

    it('are refused without access, without sign-in, and for what does not exist', async () => {
      const { id, iid } = await add('untouched');
      for (const person of [outsider, null]) {
        await refused(person, 'create', { namespacePath: path, title: 'x', workItemTypeId: type(1) });
        await refused(person, 'update', { id, title: 'x' });
        await refused(person, 'convert', { id, workItemTypeId: type(2) });
        await refused(person, 'remove', { id });
        await refused(person, 'link', { id, workItemsIds: [first] });
      }
      await refused(guest, 'update', { id, title: 'x' });
      await refused(owner, 'update', { id: workItem(999999), title: 'x' });
      await refused(owner, 'create', { namespacePath: `${path}-`, title: 'x', workItemTypeId: type(1) });
      await refused(owner, 'create', { namespacePath: path, title: 'x', workItemTypeId: type(8) });
      const foreign = await ask(owner, 'update', { id: 'gid://gitlab/User/1', title: 'x' });
      assert.match(foreign.body.errors[0].message, /invalid value/);
      const { title, issue_type } = await read(iid);
      assert.deepEqual([title, issue_type], ['untouched', 'issue']);
    });
  });
});
