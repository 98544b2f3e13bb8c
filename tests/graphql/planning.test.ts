import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql } from '../support/graphql.ts';
import { addMember, addPerson, addProject, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

forEachEngine((engine) => {
  describe('GraphQL issues, labels, milestones, snippets and search', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let id: number;
    let path: string;

    before(async () => {
      server = await startTestServer(engine);
      [owner, guest, outsider] = [
        await addPerson(server, 'owner'),
        await addPerson(server, 'guest'),
        await addPerson(server, 'outsider'),
      ];
      const project = await addProject(server, owner, 'plans');
      await addMember(server, project, guest, Role.guest);
      id = project.id;
      path = `${owner.user.username}/plans`;
      const post = (what: string, json: object) =>
        server.must(`POST /projects/${id}/${what}`, { token: owner.token, json });
      await post('labels', { name: 'bug', color: '#ff0000' });
      await post('milestones', { title: 'One' });
      await post('issues', { title: 'Open', labels: 'bug', description: 'Some *text*' });
      await post('issues', { title: 'Secret', confidential: true });
      await post('issues', { title: 'Third' });
      await post('issues/1/notes', { body: 'Said' });
      await post('snippets', {
        title: 'Piece',
        visibility: 'private',
        files: [
          { file_path: 'a.txt', content: 'first\n' },
          { file_path: 'b.md', content: '# second\n' },
        ],
      });
    });

    const ask = (person: Person | null, query: string, variables = {}) =>
      askGraphql(server, query, { path, ...variables }, { token: person?.token ?? null });
    const must = async (person: Person | null, query: string, variables = {}) =>
      (await mustGraphql(server, query, { path, ...variables }, { token: person?.token ?? null })).project;

    it('lists issues, confidential ones only for users who may read them', async () => {
      const query = `query ($path: ID!, $first: Int, $after: String) {
        project(fullPath: $path) {
          issues(sort: CREATED_ASC, first: $first, after: $after) {
            count edges { cursor node { iid title confidential } } pageInfo { hasNextPage hasPreviousPage endCursor }
          }
        }
      }`;
      const titles = ({ issues }: { issues: { edges: { node: { title: string } }[] } }) =>
        issues.edges.map(({ node }) => node.title);
      const all = await must(owner, query);
      assert.deepEqual(titles(all), ['Open', 'Secret', 'Third']);
      assert.deepEqual([all.issues.count, all.issues.pageInfo.hasNextPage], [3, false]);
      const seen = await must(guest, query);
      assert.deepEqual([titles(seen), seen.issues.count], [['Open', 'Third'], 2]);
      const one = await must(owner, query, { first: 2 });
      assert.deepEqual(one.issues.pageInfo, {
        hasNextPage: true,
        hasPreviousPage: false,
        endCursor: one.issues.edges[1].cursor,
      });
      const rest = await must(owner, query, { first: 2, after: one.issues.edges[0].cursor });
      assert.deepEqual(titles(rest), ['Secret', 'Third']);
      const hidden = 'query ($path: ID!) { project(fullPath: $path) { issue(iid: "2") { title } } }';
      assert.deepEqual(await must(owner, hidden), { issue: { title: 'Secret' } });
      assert.deepEqual(await must(guest, hidden), { issue: null });
      assert.deepEqual((await ask(outsider, query)).body.data, { project: null });
      assert.equal(
        (await ask(owner, query, { after: 'nonsense' })).body.errors[0].message,
        'Please provide a valid cursor',
      );
    });

    it('returns an issue with its labels, notes and permissions', async () => {
      const { issue } = await must(
        owner,
        `query ($path: ID!) {
          project(fullPath: $path) {
            issue(iid: "1") {
              id iid state type descriptionHtml author { username } labels { nodes { title color } }
              discussions { nodes { replyId notes { nodes { body userPermissions { adminNote } } } } }
              notes(filter: ONLY_COMMENTS) { count nodes { body discussion { replyId } } }
              userPermissions { createNote updateIssue }
            }
          }
        }`,
      );
      assert.match(issue.id, /^gid:\/\/gitlab\/Issue\/\d+$/);
      assert.deepEqual([issue.state, issue.type, issue.author.username], ['opened', 'ISSUE', owner.user.username]);
      assert.match(issue.descriptionHtml, /<em>text<\/em>/);
      assert.deepEqual(issue.labels.nodes, [{ title: 'bug', color: '#ff0000' }]);
      const [thread] = issue.discussions.nodes.slice(-1);
      assert.deepEqual(thread.notes.nodes, [{ body: 'Said', userPermissions: { adminNote: true } }]);
      assert.deepEqual(issue.notes, { count: 1, nodes: [{ body: 'Said', discussion: { replyId: thread.replyId } }] });
      assert.deepEqual(issue.userPermissions, { createNote: true, updateIssue: true });
    });

    it('lists labels and milestones', async () => {
      const found = await must(
        guest,
        `query ($path: ID!) {
          project(fullPath: $path) {
            labels { nodes { title textColor } } label(title: "bug") { title } none: label(title: "no/such") { title }
            milestones { nodes { title state expired } }
          }
        }`,
      );
      assert.deepEqual(found.labels.nodes, [{ title: 'bug', textColor: '#FFFFFF' }]);
      assert.deepEqual([found.label, found.none], [{ title: 'bug' }, null]);
      assert.deepEqual(found.milestones.nodes, [{ title: 'One', state: 'active', expired: false }]);
    });

    it('returns snippets and the contents of their files', async () => {
      const query = `query ($path: ID!) {
        project(fullPath: $path) { snippets { pageInfo { hasNextPage } nodes { id title blobs { nodes { name path rawPath } } } } }
      }`;
      const { snippets } = await must(owner, query);
      const [snippet] = snippets.nodes;
      assert.match(snippet.id, /^gid:\/\/gitlab\/ProjectSnippet\/\d+$/);
      assert.deepEqual(
        snippet.blobs.nodes.map(({ name }: { name: string }) => name),
        ['a.txt', 'b.md'],
      );
      const content = `query ($id: SnippetID!) { snippets(ids: [$id]) { nodes { blobs { nodes { path rawPlainData } } } } }`;
      const { data } = (await ask(owner, content, { id: snippet.id })).body;
      assert.deepEqual(data.snippets.nodes[0].blobs.nodes, [
        { path: 'a.txt', rawPlainData: 'first\n' },
        { path: 'b.md', rawPlainData: '# second\n' },
      ]);
      assert.deepEqual((await ask(outsider, content, { id: snippet.id })).body.data.snippets.nodes, []);
      assert.deepEqual((await ask(null, content, { id: snippet.id })).body.data.snippets.nodes, []);
    });

    it('finds projects, groups and users', async () => {
      const query = `query ($search: String, $membership: Boolean) {
        projects(search: $search, membership: $membership, first: 20, searchNamespaces: true) { nodes { fullPath repository { empty } } }
      }`;
      const found = async (person: Person | null, variables: object) =>
        (await ask(person, query, variables)).body.data.projects.nodes;
      assert.deepEqual(await found(guest, { membership: true, search: 'plans' }), [
        { fullPath: path, repository: { empty: true } },
      ]);
      assert.deepEqual(await found(outsider, { search: 'plans' }), []);
      assert.deepEqual(await found(null, { search: 'plans' }), []);
      const group = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Team', path: 'team-of-owner' },
      });
      const named = `{ group(fullPath: "team-of-owner") { id fullPath projects { count } } byNumber: group(fullPath: "${group.id}") { id } }`;
      assert.deepEqual((await ask(owner, named)).body.data, {
        group: { id: `gid://gitlab/Group/${group.id}`, fullPath: 'team-of-owner', projects: { count: 0 } },
        byNumber: null,
      });
      assert.deepEqual((await ask(outsider, named)).body.data.group, null);
      const people = `{ user(username: "${guest.user.username}") { id bot } users(usernames: ["${guest.user.username}", "nobody"]) { nodes { username } } }`;
      assert.deepEqual((await ask(owner, people)).body.data, {
        user: { id: `gid://gitlab/User/${guest.user.id}`, bot: false },
        users: { nodes: [{ username: guest.user.username }] },
      });
    });

    it('reads the same object only once per request', async () => {
      const query = `{ a: project(fullPath: "${path}") { id } b: project(fullPath: "${path}") { name } }`;
      await ask(owner, query);
      const once = await server.queriesOf(() => ask(owner, `{ project(fullPath: "${path}") { id } }`));
      const twice = await server.queriesOf(() => ask(owner, query));
      assert.equal(twice, once);
    });
  });

  describe('GraphQL pipelines', () => {
    it('are listed with their jobs for users who may see them', async () => {
      const server = await startTestServer(engine);
      const owner = await addPerson(server, 'owner');
      const outsider = await addPerson(server, 'outsider');
      const project = await addProject(server, owner, 'built');
      const commit = (json: object) =>
        server.must(`POST /projects/${project.id}/repository/commits`, { token: owner.token, json });
      const content = 'one:\n  script: echo\ntwo:\n  script: echo\n';
      await commit({
        branch: 'main',
        commit_message: 'Build',
        actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content }],
      });
      const query = `{ project(fullPath: "${owner.user.username}/built") {
        pipelines(first: 5) { count nodes {
          id status ref active complete detailedStatus { text } user { username } jobs { nodes { name status stage { name } webPath } }
        } }
      } }`;
      await until(async () => (await server.must(`GET /projects/${project.id}/pipelines?status=pending`)).length > 0);
      const { project: visible } = await mustGraphql(server, query, {}, { token: owner.token });
      const [pipeline] = visible.pipelines.nodes;
      assert.match(pipeline.id, /^gid:\/\/gitlab\/Ci::Pipeline\/\d+$/);
      assert.deepEqual([pipeline.status, pipeline.ref, pipeline.complete], ['PENDING', 'main', false]);
      assert.equal(pipeline.user.username, owner.user.username);
      const jobs = pipeline.jobs.nodes.map(({ name, stage }: { name: string; stage: { name: string } }) => [
        name,
        stage.name,
      ]);
      assert.deepEqual(jobs.sort(), [
        ['one', 'test'],
        ['two', 'test'],
      ]);
      assert.deepEqual(await mustGraphql(server, query, {}, { token: outsider.token }), { project: null });
    });
  });
});
