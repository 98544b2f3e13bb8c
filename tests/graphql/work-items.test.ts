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
