import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { mustGraphql } from '../support/graphql.ts';
import { type ReviewScene, reviewScene } from '../support/merge-requests.ts';
import type { Person } from '../support/scene.ts';

const items = `query ($path: ID!, $first: Int, $after: String, $state: IssuableState, $types: [IssueType!]) {
  project(fullPath: $path) {
    workItems(first: $first, after: $after, state: $state, types: $types) {
      count pageInfo { hasNextPage endCursor }
      nodes {
        id iid title state confidential reference webUrl workItemType { name }
        widgets {
          __typename type
          ... on WorkItemWidgetAssignees { allowsMultipleAssignees assignees { nodes { username } } }
          ... on WorkItemWidgetDescription { description descriptionHtml }
          ... on WorkItemWidgetLabels { labels { nodes { title } } }
          ... on WorkItemWidgetMilestone { milestone { title } }
          ... on WorkItemWidgetStartAndDueDate { dueDate }
        }
      }
    }
  }
}`;
const item = `query ($path: ID!, $iid: String!) {
  project(fullPath: $path) {
    workItem(iid: $iid) { title widgets { ... on WorkItemWidgetLabels { labels { nodes { title } } } } }
  }
}`;

forEachEngine((engine) => {
  describe('GraphQL work items', () => {
    let scene: ReviewScene;
    let path: string;

    before(async () => {
      scene = await reviewScene(engine, 'public');
      path = `${scene.owner.user.username}/${scene.project.path}`;
      const add = (json: object) =>
        scene.server.must(`POST /projects/${scene.project.id}/issues`, { token: scene.owner.token, json });
      await add({
        title: 'Plain',
        description: 'A **text**',
        labels: 'bug',
        assignee_ids: [scene.developer.user.id],
        due_date: '2030-01-02',
      });
      await add({ title: 'Secret', confidential: true });
      await add({ title: 'Broken', issue_type: 'incident' });
    });

    const must = (person: Person | null, query: string, variables = {}) =>
      mustGraphql(scene.server, query, { path, ...variables }, { token: person?.token ?? null });
    const titles = ({ project }: { project: { workItems: { nodes: { title: string }[] } } }) =>
      project.workItems.nodes.map(({ title }) => title);

    it('represent issues with their attributes as widgets', async () => {
      const { project } = await must(scene.owner, items);
      assert.equal(project.workItems.count, 3);
      const [incident, secret, plain] = project.workItems.nodes;
      assert.deepEqual([incident.workItemType.name, secret.confidential], ['Incident', true]);
      assert.deepEqual([plain.workItemType.name, plain.state, plain.reference], ['Issue', 'OPEN', '#1']);
      assert.match(plain.id, /^gid:\/\/gitlab\/WorkItem\/\d+$/);
      const widgets = Object.fromEntries(plain.widgets.map((each: { type: string }) => [each.type, each]));
      assert.equal(widgets.ASSIGNEES.allowsMultipleAssignees, true);
      assert.deepEqual(widgets.ASSIGNEES.assignees.nodes, [{ username: scene.developer.user.username }]);
      assert.equal(widgets.DESCRIPTION.description, 'A **text**');
      assert.match(widgets.DESCRIPTION.descriptionHtml, /<strong/);
      assert.deepEqual(widgets.LABELS.labels.nodes, [{ title: 'bug' }]);
      assert.deepEqual([widgets.MILESTONE.milestone, widgets.START_AND_DUE_DATE.dueDate], [null, '2030-01-02']);
    });

    it('are paginated and filtered by type and state', async () => {
      const first = await must(scene.owner, items, { first: 2 });
      assert.deepEqual(titles(first), ['Broken', 'Secret']);
      const { endCursor, hasNextPage } = first.project.workItems.pageInfo;
      assert.equal(hasNextPage, true);
      assert.deepEqual(titles(await must(scene.owner, items, { first: 2, after: endCursor })), ['Plain']);
      assert.deepEqual(titles(await must(scene.owner, items, { types: ['INCIDENT'] })), ['Broken']);
      assert.deepEqual(titles(await must(scene.owner, items, { state: 'closed' })), []);
    });

    it('are the same below the namespace of a project, and listed in its group', async () => {
      const query = `query ($path: ID!, $names: [String!]) {
        namespace(fullPath: $path) {
          id fullPath
          workItem(iid: "1") { title namespace { fullPath } }
          workItems(assigneeUsernames: $names) { count nodes { title } }
          workItemTypes { nodes { id name supportedConversionTypes { name } widgetDefinitions { type } } }
          task: workItemTypes(name: TASK) { nodes { name } }
        }
      }`;
      const { namespace } = await must(scene.owner, query, { names: [scene.developer.user.username] });
      assert.deepEqual([namespace.fullPath, namespace.workItem.title], [path, 'Plain']);
      assert.deepEqual(namespace.workItem.namespace, { fullPath: path });
      assert.deepEqual(namespace.workItems, { count: 1, nodes: [{ title: 'Plain' }] });
      const types = namespace.workItemTypes.nodes.map(({ id, name }: { id: string; name: string }) => [id, name]);
      assert.deepEqual(types[0], ['gid://gitlab/WorkItems::Type/1', 'Issue']);
      assert.deepEqual(types.at(-1), ['gid://gitlab/WorkItems::Type/5', 'Task']);
      assert.equal(namespace.workItemTypes.nodes[0].supportedConversionTypes.length, types.length - 1);
      assert.ok(namespace.workItemTypes.nodes[0].widgetDefinitions.length > 10);
      assert.deepEqual(namespace.task.nodes, [{ name: 'Task' }]);
      const inGroup =
        '{ group(fullPath: "holders") { workItems { count nodes { title } } } namespace(fullPath: "holders") { workItem(iid: "1") { id } workItems { count } } }';
      const group = await scene.server.must('POST /groups', {
        token: scene.owner.token,
        json: { name: 'h', path: 'holders' },
      });
      const held = await scene.server.must('POST /projects', {
        token: scene.owner.token,
        json: { name: 'held', namespace_id: group.id },
      });
      await scene.server.must(`POST /projects/${held.id}/issues`, {
        token: scene.owner.token,
        json: { title: 'Held' },
      });
      assert.deepEqual(await must(scene.owner, inGroup), {
        group: { workItems: { count: 1, nodes: [{ title: 'Held' }] } },
        namespace: { workItem: null, workItems: { count: 1 } },
      });
      assert.deepEqual(await must(scene.outsider, inGroup), { group: null, namespace: null });
    });

    it('have the widgets that clients select, and no others', async () => {
      const { developer, owner } = scene;
      await scene.branch('1-fix', 'fix.txt', 'f');
      await scene.open(developer, '1-fix', { description: 'Closes #1' });
      const issue = `/projects/${scene.project.id}/issues/1`;
      const post = (rest: string, json: object) =>
        scene.server.must(`POST ${issue}/${rest}`, { token: owner.token, json });
      await post('notes', { body: 'A note' });
      await post('notes', { body: '/health_status on_track' });
      await post('award_emoji', { name: 'rocket' });
      await post('time_estimate', { duration: '1h' });
      await scene.server.running.services.queue.drain();
      const query = `query ($path: ID!) { project(fullPath: $path) { workItem(iid: "1") { userDiscussionsCount widgets {
        type
        ... on WorkItemWidgetAwardEmoji { upvotes awardEmoji { nodes { name } } }
        ... on WorkItemWidgetDevelopment {
          willAutoCloseByMergeRequest
          closingMergeRequests { count nodes { mergeRequest { iid sourceBranch } } }
          featureFlags { nodes { name } }
          relatedBranches { nodes { name } }
          relatedMergeRequests { nodes { iid } }
        }
        ... on WorkItemWidgetHealthStatus { healthStatus }
        ... on WorkItemWidgetIteration { iteration { id iterationCadence { title } } }
        ... on WorkItemWidgetNotes { discussionLocked discussions { nodes { notes { nodes { body lastEditedAt system } } } } }
        ... on WorkItemWidgetParticipants { participants { nodes { username } } }
        ... on WorkItemWidgetTimeTracking { timeEstimate totalTimeSpent humanReadableAttributes { timeEstimate } }
        ... on WorkItemWidgetHierarchy { hasParent parent { id } children { nodes { id } } }
        ... on WorkItemWidgetStatus { status { name } }
        ... on WorkItemWidgetColor { color }
        ... on WorkItemWidgetCustomFields { customFieldValues { ... on WorkItemNumberFieldValue { value } ... on WorkItemTextFieldValue { value } } }
      } } } }`;
      const { project } = await must(owner, query);
      const widgets = Object.fromEntries(
        project.workItem.widgets.map(({ type, ...rest }: { type: string }) => [type, rest]),
      );
      for (const absent of ['HIERARCHY', 'STATUS', 'COLOR', 'CUSTOM_FIELDS']) assert.equal(absent in widgets, false);
      assert.equal(project.workItem.userDiscussionsCount, 1);
      assert.deepEqual(widgets.AWARD_EMOJI, { upvotes: 0, awardEmoji: { nodes: [{ name: 'rocket' }] } });
      const [closing] = widgets.DEVELOPMENT.closingMergeRequests.nodes;
      assert.deepEqual(widgets.DEVELOPMENT, {
        willAutoCloseByMergeRequest: true,
        closingMergeRequests: { count: 1, nodes: [closing] },
        featureFlags: { nodes: [] },
        relatedBranches: { nodes: [{ name: '1-fix' }] },
        relatedMergeRequests: { nodes: [{ iid: closing.mergeRequest.iid }] },
      });
      assert.equal(closing.mergeRequest.sourceBranch, '1-fix');
      assert.deepEqual([widgets.HEALTH_STATUS.healthStatus, widgets.ITERATION.iteration], ['onTrack', null]);
      const [said] = widgets.NOTES.discussions.nodes
        .flatMap((thread: { notes: { nodes: object[] } }) => thread.notes.nodes)
        .filter((note: { system: boolean }) => !note.system);
      assert.deepEqual(said, { body: 'A note', lastEditedAt: null, system: false });
      assert.equal(widgets.NOTES.discussionLocked, false);
      assert.ok(widgets.PARTICIPANTS.participants.nodes.length > 0);
      assert.deepEqual(widgets.TIME_TRACKING, {
        timeEstimate: 3600,
        totalTimeSpent: 0,
        humanReadableAttributes: { timeEstimate: '1h' },
      });
      const some = `query ($path: ID!) { project(fullPath: $path) { workItem(iid: "1") {
        only: widgets(onlyTypes: [WEIGHT, STATUS]) { type } rest: widgets(exceptTypes: [WEIGHT]) { type }
      } } }`;
      const { only, rest } = (await must(owner, some)).project.workItem;
      assert.deepEqual([only, rest.length], [[{ type: 'WEIGHT' }], project.workItem.widgets.length - 1]);
    });

    it('have the iteration with its cadence', async () => {
      const { server, owner } = scene;
      const post = (place: string, json: object) => server.must(`POST ${place}`, { token: owner.token, json });
      const group = await post('/groups', { name: 'paced', path: 'paced' });
      const start_date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
      for (const title of ['Other', 'Weekly']) {
        await post(`/groups/${group.id}/iteration_cadences`, { title, start_date, duration_in_weeks: 1 });
      }
      const iterations = await server.must(
        `GET /groups/${group.id}/iterations?state=opened&in=cadence_title&search=Weekly`,
        {
          token: owner.token,
        },
      );
      const project = await post('/projects', { name: 'pace', namespace_id: group.id });
      await post(`/projects/${project.id}/issues`, { title: 'Planned' });
      await post(`/projects/${project.id}/issues/1/notes`, { body: `/iteration *iteration:${iterations[0].id}` });
      const query = `{ namespace(fullPath: "paced/pace") { workItem(iid: "1") { widgets(onlyTypes: [ITERATION]) {
        ... on WorkItemWidgetIteration { iteration { id startDate iterationCadence { title } } }
      } } } }`;
      const { namespace } = await must(owner, query);
      const { id, iterationCadence } = namespace.workItem.widgets[0].iteration;
      assert.deepEqual([id, iterationCadence], [`gid://gitlab/Iteration/${iterations[0].id}`, { title: 'Weekly' }]);
    });

    it('are only visible to users who may read the issue', async () => {
      for (const person of [scene.outsider, null]) {
        assert.deepEqual(titles(await must(person, items)), ['Broken', 'Plain']);
        assert.equal((await must(person, item, { iid: '2' })).project.workItem, null);
      }
      const { workItem } = (await must(null, item, { iid: '1' })).project;
      assert.equal(workItem.title, 'Plain');
      assert.deepEqual(workItem.widgets.find((each: object) => 'labels' in each).labels.nodes, [{ title: 'bug' }]);
      for (const iid of ['0', '99', 'x']) assert.equal((await must(scene.owner, item, { iid })).project.workItem, null);
    });
  });
});
