import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('draft notes', () => {
    let scene: ReviewScene;
    let refs: { base_sha: string; start_sha: string; head_sha: string };
    let one: string;
    let drafts: string;

    const write = (person: Person | null, json: Record<string, unknown>) =>
      scene.api(person, `POST ${drafts}`, { json });
    const onLine = (new_line: number) => ({
      ...refs,
      position_type: 'text',
      new_path: 'README.md',
      old_path: 'README.md',
      new_line,
    });
    const notesOf = async (person: Person) =>
      (await scene.api(person, `GET ${one}/notes?sort=asc&activity_filter=only_comments`)).body;

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      const made = await scene.open(scene.developer, 'topic', { reviewer_ids: [scene.reporter.user.id] });
      refs = made.diff_refs;
      one = `${scene.base}/${made.iid}`;
      drafts = `${one}/draft_notes`;
    });

    it('are visible only to their author', async () => {
      const { reporter, developer } = scene;
      const made = await write(reporter, { note: 'Hm' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id, ...rest } = made.body;
      assert.deepEqual(rest, {
        author_id: reporter.user.id,
        merge_request_id: rest.merge_request_id,
        resolve_discussion: false,
        discussion_id: null,
        note: 'Hm',
        commit_id: null,
        line_code: null,
        position: {
          base_sha: null,
          start_sha: null,
          head_sha: null,
          old_path: null,
          new_path: null,
          position_type: 'text',
          old_line: null,
          new_line: null,
          line_range: null,
        },
      });
      assert.equal((await scene.api(reporter, `GET ${drafts}/${id}`)).body.id, id);
      assert.deepEqual((await scene.api(developer, `GET ${drafts}`)).body, []);
      for (const call of ['GET', 'DELETE']) {
        assert.equal((await scene.api(developer, `${call} ${drafts}/${id}`)).status, 404);
      }
      assert.equal((await scene.api(developer, `PUT ${drafts}/${id}`, { json: { note: 'x' } })).status, 404);
      assert.equal((await scene.api(developer, `PUT ${drafts}/${id}/publish`)).status, 404);
      assert.equal((await scene.api(null, `GET ${drafts}`)).status, 401);
      assert.deepEqual(await notesOf(developer), []);
      const [reviewer] = (await scene.api(developer, `GET ${one}/reviewers`)).body;
      assert.equal(reviewer.state, 'review_started');
    });

    it('can be updated and deleted', async () => {
      const { reporter } = scene;
      const { body: made } = await write(reporter, { note: 'First', position: onLine(2) });
      assert.deepEqual([made.position.new_line, made.line_code?.slice(-4)], [2, '_3_2']);
      const put = (json: Record<string, unknown>) => scene.api(reporter, `PUT ${drafts}/${made.id}`, { json });
      assert.equal((await put({ note: 'Second' })).body.note, 'Second');
      const refused = await put({});
      assert.deepEqual([refused.status, refused.body.message], [400, '400 Bad request - Missing params to modify']);
      assert.equal((await put({ position: onLine(99) })).status, 400);
      assert.equal((await put({ note: ' ' })).status, 400);
      assert.equal((await scene.api(reporter, `DELETE ${drafts}/${made.id}`)).status, 204);
      assert.equal((await put({ note: 'Third' })).status, 404);
    });

    it('are rejected if they could not be published', async () => {
      const { reporter } = scene;
      assert.equal((await write(reporter, {})).status, 400);
      assert.equal((await write(reporter, { note: 'x', position: onLine(99) })).status, 400);
      const lost = await write(reporter, { note: 'x', in_reply_to_discussion_id: 'f'.repeat(40) });
      assert.deepEqual([lost.status, lost.body.message], [400, { base: ['Thread to reply to cannot be found'] }]);
      assert.equal((await write(reporter, { note: 'x'.repeat(1_000_001) })).status, 400);
      assert.equal((await scene.api(reporter, `GET ${scene.base}/999/draft_notes`)).status, 404);
    });

    it('are published once under concurrent requests', async () => {
      const { reporter, developer } = scene;
      const thread = await scene.api(reporter, `POST ${one}/discussions`, { json: { body: 'Why?' } });
      await write(reporter, { note: 'Here', position: onLine(2) });
      await write(reporter, {
        note: 'Never mind',
        in_reply_to_discussion_id: thread.body.id,
        resolve_discussion: true,
      });
      const publish = () => scene.api(reporter, `POST ${drafts}/bulk_publish`);
      for (const { status, body } of await Promise.all([publish(), publish()])) {
        assert.equal(status, 204, JSON.stringify(body));
      }
      assert.deepEqual((await scene.api(reporter, `GET ${drafts}`)).body, []);
      const response = (await notesOf(developer)).map(({ body, type }: { body: string; type: string }) => [body, type]);
      assert.deepEqual(response, [
        ['Why?', 'DiscussionNote'],
        ['Hm', null],
        ['Here', 'DiffNote'],
        ['Never mind', 'DiscussionNote'],
      ]);
      const settled = await scene.api(developer, `GET ${one}/discussions/${thread.body.id}`);
      assert.deepEqual(
        settled.body.notes.map(({ resolved }: { resolved: boolean }) => resolved),
        [true, true],
      );
      const [reviewer] = (await scene.api(developer, `GET ${one}/reviewers`)).body;
      assert.equal(reviewer.state, 'reviewed');
    });

    it('do not resolve a thread that their author may not resolve', async () => {
      const { developer, outsider } = scene;
      const thread = await scene.api(developer, `POST ${one}/discussions`, { json: { body: 'Mine' } });
      const { body: draft } = await write(outsider, {
        note: 'Done',
        in_reply_to_discussion_id: thread.body.id,
        resolve_discussion: true,
      });
      assert.equal((await scene.api(outsider, `PUT ${drafts}/${draft.id}/publish`)).status, 204);
      const after = await scene.api(developer, `GET ${one}/discussions/${thread.body.id}`);
      assert.deepEqual(
        after.body.notes.map(({ resolved }: { resolved: boolean }) => resolved),
        [false, false],
      );
    });

    it('are deleted after their quick actions were executed', async () => {
      const { developer } = scene;
      await write(developer, { note: '/title Better' });
      assert.equal((await scene.api(developer, `POST ${drafts}/bulk_publish`)).status, 204);
      assert.equal((await scene.api(developer, `GET ${one}`)).body.title, 'Better');
      assert.deepEqual((await scene.api(developer, `GET ${drafts}`)).body, []);
    });

    it('remain if their thread was deleted, while the others are published', async () => {
      const { owner } = scene;
      const { body: thread } = await scene.api(owner, `POST ${one}/discussions`, { json: { body: 'Soon gone' } });
      await write(owner, { note: 'Late', in_reply_to_discussion_id: thread.id });
      await scene.api(owner, `DELETE ${one}/notes/${thread.notes[0].id}`);
      await write(owner, { note: 'Said all the same' });
      const published = await scene.api(owner, `POST ${drafts}/bulk_publish`);
      const left = (await scene.api(owner, `GET ${drafts}`)).body.map(({ note }: { note: string }) => note);
      assert.ok((await notesOf(owner)).some(({ body }: { body: string }) => body === 'Said all the same'));
      assert.deepEqual([published.status, left], [404, ['Late']]);
      const [{ id }] = (await scene.api(owner, `GET ${drafts}`)).body;
      assert.equal((await scene.api(owner, `DELETE ${drafts}/${id}`)).status, 204);
    });

    it('are published with a summary note and verdict', async () => {
      const { reporter, owner, developer } = scene;
      const submit = (person: Person, json: Record<string, unknown>) =>
        scene.api(person, `POST ${drafts}/bulk_publish`, { json });
      const stateOf = async (person: Person) =>
        (await scene.api(owner, `GET ${one}/reviewers`)).body.find(
          ({ user }: { user: { id: number } }) => user.id === person.user.id,
        )?.state;
      await write(reporter, { note: 'This line' });
      assert.equal((await submit(reporter, { reviewer_state: 'approved' })).status, 400);
      assert.equal((await submit(scene.outsider, { reviewer_state: 'requested_changes', note: 'x' })).status, 403);
      const requested = { note: 'Not yet', internal: true, reviewer_state: 'requested_changes' };
      assert.equal((await submit(reporter, requested)).status, 204);
      const response = (await notesOf(owner))
        .slice(-2)
        .map((note: { body: string; internal: boolean }) => [note.body, note.internal]);
      assert.deepEqual(response, [
        ['This line', false],
        ['Not yet', true],
      ]);
      const blocked = (await scene.api(owner, `GET ${one}`)).body.detailed_merge_status;
      assert.deepEqual([await stateOf(reporter), blocked], ['requested_changes', 'requested_changes']);
      // Users who may update the merge request become reviewers, except its author.
      assert.equal((await submit(owner, { reviewer_state: 'requested_changes' })).status, 204);
      assert.equal((await submit(developer, { reviewer_state: 'requested_changes' })).status, 204);
      assert.deepEqual([await stateOf(owner), await stateOf(developer)], ['requested_changes', undefined]);
      for (const person of [reporter, owner]) await submit(person, { reviewer_state: 'reviewed' });
      assert.deepEqual([await stateOf(reporter), await stateOf(owner)], ['reviewed', 'reviewed']);
      assert.equal((await scene.api(owner, `GET ${one}`)).body.detailed_merge_status, 'mergeable');
    });

    it('are published with an approval', async () => {
      const { owner, developer } = scene;
      await write(owner, { note: 'Well done' });
      const approved = await scene.api(owner, `POST ${one}/approve`, { json: { publish_review: true } });
      assert.equal(approved.status, 201, JSON.stringify(approved.body));
      assert.equal((await notesOf(developer)).at(-1).body, 'Well done');
    });
  });

  describe('draft notes of a private project', () => {
    it('are not accessible to outsiders', async () => {
      const scene = await reviewScene(engine, 'private');
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      await scene.open(scene.developer, 'topic');
      const drafts = `${scene.base}/1/draft_notes`;
      assert.equal((await scene.api(scene.outsider, `GET ${drafts}`)).status, 404);
      assert.equal((await scene.api(scene.outsider, `POST ${drafts}`, { json: { note: 'x' } })).status, 404);
      assert.equal((await scene.api(scene.outsider, `POST ${drafts}/bulk_publish`)).status, 404);
    });
  });
});
