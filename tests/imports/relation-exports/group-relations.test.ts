import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let base: string;
  let groupId: number;

  before(async () => {
    server = await startTestServer(engine);
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    owner = await addPerson(server, 'owner');
    const made = await server.must('POST /groups', { token: owner.token, json: { name: 'Team', path: 'team' } });
    groupId = made.id;
    base = `/groups/${groupId}/export_relations`;
    const add = (place: string, json: object) =>
      server.must(`POST /groups/${groupId}/${place}`, { token: owner.token, json });
    await add('labels', { name: 'bug', color: '#ff0000' });
    const milestone = await add('milestones', { title: 'one', due_date: '2026-12-01' });
    await add('badges', { name: 'built', link_url: 'https://a.example/', image_url: 'https://a.example/x.svg' });
    const board = await add('boards', { name: 'Plan' });
    await add(`boards/${board.id}/lists`, { milestone_id: milestone.id });
    const parent = await add('epics', { title: 'Whole', labels: 'bug' });
    await add('epics', { title: 'Part', parent_id: parent.id });
    await add('epics/1/notes', { body: 'said' });
    await add('epics/1/award_emoji', { name: 'thumbsup' });
  });

  const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
  const states = async (): Promise<Answer['body'][]> => (await as(`GET ${base}/status`)).body;
  const made = async (json: object = {}) => {
    const answer = await as(`POST ${base}`, { json });
    assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
    await until(async () => (await states()).every(({ status }) => status !== 0));
    return states();
  };
  const linesOf = async (query: string): Promise<Answer['body'][]> => {
    const response = await fetch(`${server.url}/api/v4${base}/download?${query}`, {
      headers: { 'private-token': owner.token },
    });
    assert.equal(response.status, 200, query);
    const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };

  it('exports each relation of a group to a file', async () => {
    const all = await made();
    assert.deepEqual(
      all.map(({ relation, status, total_objects_count }) => [relation, status, total_objects_count]),
      [
        ['self', 1, 1],
        ['labels', 1, 1],
        ['milestones', 1, 1],
        ['badges', 1, 1],
        ['boards', 1, 1],
        ['epics', 1, 2],
        ['members', 1, 1],
        ['user_contributions', 1, 1],
        ['uploads', 1, 1],
      ],
    );
    const [self] = await linesOf('relation=self');
    assert.deepEqual([self.name, self.path, self.visibility_level], ['Team', 'team', 0]);
    assert.deepEqual(
      [self.ip_restriction_ranges, self.settings, self.runners_token],
      [undefined, undefined, undefined],
    );
    const [label] = await linesOf('relation=labels');
    assert.deepEqual([label.title, label.type], ['bug', 'GroupLabel']);
    const [board] = await linesOf('relation=boards');
    assert.deepEqual([board.name, board.lists[0].milestone.title], ['Plan', 'one']);
    const [whole, part] = await linesOf('relation=epics');
    assert.deepEqual([whole.title, whole.label_links[0].label.title, whole.parent], ['Whole', 'bug', null]);
    assert.deepEqual([whole.notes[0].note, whole.award_emoji[0].name], ['said', 'thumbsup']);
    assert.deepEqual([part.title, part.parent], ['Part', { iid: 1 }]);
    const [member] = await linesOf('relation=members');
    assert.deepEqual([member.access_level, member.user.username], [50, owner.user.username]);
    assert.equal((await linesOf('relation=badges'))[0].image_url, 'https://a.example/x.svg');
  });

  it('supports batches and leaves project exports alone', async () => {
    const { id } = await server.must('POST /projects', {
      token: owner.token,
      json: { name: 'inside', namespace_id: groupId },
    });
    assert.equal((await as(`POST /projects/${id}/export_relations`)).status, 202);
    const all = await made({ batched: true });
    const labels = all.find(({ relation }) => relation === 'labels');
    assert.deepEqual([labels?.batched, labels?.batches_count], [true, 1]);
    assert.equal((await linesOf('relation=labels&batched=true&batch_number=1')).length, 1);
    assert.equal(all.length, 9);
    const own: Answer['body'][] = (await as(`GET /projects/${id}/export_relations/status`)).body;
    assert.ok(own.some(({ relation }) => relation === 'repository'));
  });

  it('requires the Owner role and the enabled setting', async () => {
    const [maintainer, stranger] = [await addPerson(server, 'maintainer'), await addPerson(server, 'stranger')];
    const member = { user_id: maintainer.user.id, access_level: 40 };
    await server.must(`POST /groups/${groupId}/members`, { token: owner.token, json: member });
    const calls = [`POST ${base}`, `GET ${base}/status`, `GET ${base}/download?relation=labels`];
    for (const call of calls) {
      assert.equal((await as(call, { token: maintainer.token })).status, 403, call);
      assert.equal((await as(call, { token: stranger.token })).status, 404, call);
      assert.equal((await as(call, { token: null })).status, 401, call);
    }
    assert.equal((await as(`GET ${base}/status?relation=nothing`)).status, 404);
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: false } });
    for (const call of calls) assert.equal((await as(call)).status, 404, call);
  });
});
