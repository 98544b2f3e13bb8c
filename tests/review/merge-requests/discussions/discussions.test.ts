import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findLinePair } from '../../../../src/planning/notes/discussions/line-code.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';

describe('diff lines', () => {
  const patch = '@@ -10,3 +10,4 @@\n a\n-b\n+B\n+c\n d\n@@ -30,1 +31,1 @@\n-x\n+y\n';
  const cases: [number | undefined, number | undefined, [number, number] | undefined][] = [
    [10, 10, [10, 10]],
    [11, undefined, [11, 11]],
    [undefined, 11, [12, 11]],
    [undefined, 12, [12, 12]],
    [12, 13, [12, 13]],
    [5, 5, [5, 5]],
    [20, 21, [20, 21]],
    [40, 41, [40, 41]],
    [5, 6, undefined],
    [undefined, 10, undefined],
    [10, undefined, undefined],
    [20, 20, undefined],
    [0, 0, undefined],
  ];
  it('are identified by their old and new numbers', () => {
    for (const [oldLine, newLine, expected] of cases) {
      const found = findLinePair(patch, { oldLine, newLine });
      assert.deepEqual(found && [found.old, found.new], expected, `${oldLine} ${newLine}`);
    }
    assert.deepEqual(findLinePair('@@ -0,0 +1,3 @@\n+a\n+b\n+c\n', { oldLine: undefined, newLine: 3 }), {
      old: 0,
      new: 3,
    });
  });
});

forEachEngine((engine) => {
  describe('merge request threads', () => {
    let scene: ReviewScene;
    let refs: { base_sha: string; start_sha: string; head_sha: string };
    let threads: string;

    const begin = (json: Record<string, unknown>, person = scene.reporter) =>
      scene.api(person, `POST ${threads}`, { json: { body: 'Why?', ...json } });
    const onLine = (line: Record<string, unknown>) =>
      begin({ position: { ...refs, position_type: 'text', new_path: 'README.md', old_path: 'README.md', ...line } });

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      const made = await scene.open(scene.developer, 'topic');
      refs = made.diff_refs;
      threads = `${scene.base}/1/discussions`;
    });

    it('can be created on lines, on files and on the merge request', async () => {
      const added = await onLine({ new_line: 2 });
      assert.equal(added.status, 201, JSON.stringify(added.body));
      const [note] = added.body.notes;
      assert.deepEqual([note.type, note.resolvable, note.resolved], ['DiffNote', true, false]);
      assert.deepEqual(note.position, {
        ...refs,
        old_path: 'README.md',
        new_path: 'README.md',
        position_type: 'text',
        old_line: null,
        new_line: 2,
        line_range: null,
      });
      assert.equal((await onLine({ old_line: 2 })).status, 201);
      assert.equal((await onLine({ old_line: 1, new_line: 1 })).status, 201);
      const file = { ...refs, position_type: 'file', new_path: 'README.md', old_path: 'README.md' };
      assert.equal((await begin({ position: file })).status, 201);
      const plain = await begin({});
      assert.equal(plain.body.notes[0].type, 'DiscussionNote');
    });

    it('are rejected if the diff has no such line', async () => {
      const refusals = [
        await onLine({ new_line: 99 }),
        await onLine({ new_line: 1 }),
        await onLine({}),
        await begin({ position: { ...refs, position_type: 'text', new_path: 'none', old_path: 'none', new_line: 1 } }),
        await begin({ position: { ...refs, head_sha: '0'.repeat(40), position_type: 'text', new_path: 'README.md' } }),
      ];
      for (const { status, body } of refusals) assert.equal(status, 400, JSON.stringify(body));
      assert.match(refusals[0]?.body.message, /must be a valid line code/);
      assert.equal((await scene.api(null, `GET ${threads}`)).status, 401);
    });

    it('can be resolved only by developers and the author of the merge request', async () => {
      const { developer, outsider, owner } = scene;
      const { body } = await begin({});
      const one = `${threads}/${body.id}`;
      const resolve = (person = developer, resolved = true) => scene.api(person, `PUT ${one}`, { json: { resolved } });
      assert.equal((await resolve(outsider)).status, 403);
      const resolved = await resolve(developer);
      assert.deepEqual([resolved.status, resolved.body.notes[0].resolved], [200, true]);
      assert.equal((await resolve(owner, false)).body.notes[0].resolved, false);
      const reply = await scene.api(outsider, `POST ${one}/notes`, { json: { body: 'Because' } });
      assert.equal(reply.status, 201);
    });

    it('and emoji reactions are counted', async () => {
      const { reporter, base } = scene;
      const award = await scene.api(reporter, `POST ${base}/1/award_emoji`, { json: { name: 'thumbsup' } });
      assert.equal(award.status, 201);
      const list = `GET ${base}?my_reaction_emoji=thumbsup`;
      const [listed] = (await scene.api(reporter, list)).body;
      assert.deepEqual([listed.iid, listed.upvotes], [1, 1]);
      assert.equal((await scene.api(reporter, `DELETE ${base}/1/award_emoji/${award.body.id}`)).status, 204);
      assert.deepEqual((await scene.api(reporter, list)).body, []);
    });

    it('report a missing merge request with the documented messages', async () => {
      const { reporter, base } = scene;
      const response = async (path: string) => (await scene.api(reporter, `GET ${base}/999/${path}`)).body;
      assert.deepEqual(await response('award_emoji'), { message: '404 Not found' });
      assert.deepEqual(await response('notes/1/award_emoji'), { message: '404 Not found' });
      assert.deepEqual(await response('notes'), { message: '404 MergeRequest Not Found' });
      assert.deepEqual(await response('discussions'), { message: '404 MergeRequest Not Found' });
    });

    it('are considered for related and closed issues', async () => {
      const { owner, project, base, server } = scene;
      const issue = await server.must(`POST /projects/${project.id}/issues`, {
        token: owner.token,
        json: { title: 'Broken' },
      });
      await scene.api(owner, `PUT ${base}/1`, { json: { description: `Fixes #${issue.iid}`, labels: 'bug' } });
      await server.running.services.queue.drain();
      const get = async (path: string) => (await scene.api(owner, `GET ${path}`)).body;
      assert.equal((await get(`${base}/1/closes_issues`))[0].id, issue.id);
      const long = `${'Much was said of it. '.repeat(1000)}\n\nFixes #${issue.iid}`;
      await scene.api(owner, `PUT ${base}/1`, { json: { description: long } });
      assert.equal((await get(`${base}/1/closes_issues`))[0]?.id, issue.id, 'found at the end of a long text');
      assert.equal((await get(`${base}/1/related_issues`))[0].id, issue.id);
      const of = `/projects/${project.id}/issues/${issue.iid}`;
      assert.equal((await get(of)).merge_requests_count, 1);
      assert.equal((await get(`${of}/closed_by`))[0].iid, 1);
      const other = await server.must(`POST /projects/${project.id}/issues`, {
        token: owner.token,
        json: { title: 'Spoken of' },
      });
      const about = async (iid: number) =>
        (await get(`/projects/${project.id}/issues/${iid}/related_merge_requests`)).map(
          (request: { iid: number }) => request.iid,
        );
      assert.deepEqual([await about(issue.iid), await about(other.iid)], [[1], []]);
      await scene.api(owner, `POST ${base}/1/notes`, { json: { body: `See #${other.iid}` } });
      await server.running.services.queue.drain();
      assert.deepEqual(await about(other.iid), [1]);
      const [label] = await get(`/projects/${project.id}/labels?with_counts=true`);
      assert.equal(label.open_merge_requests_count, 1);
      const head = refs.head_sha;
      assert.equal((await get(`/projects/${project.id}/repository/commits/${head}/merge_requests`))[0].iid, 1);
    });
  });
});
