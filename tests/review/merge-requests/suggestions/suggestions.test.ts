import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('suggestions', () => {
    let scene: ReviewScene;
    let one: string;

    const settle = () => scene.server.running.services.queue.drain();
    const suggest = async (new_line: number, content: string, around = '-0+0') => {
      const { body: request } = await scene.api(scene.reporter, `GET ${one}`);
      const at = { old_path: 'list.txt', new_path: 'list.txt', position_type: 'text', new_line };
      const body = `Rather\n\n\`\`\`suggestion:${around}\n${content}\n\`\`\``;
      const json = { body, position: { ...request.diff_refs, ...at } };
      const made = await scene.api(scene.reporter, `POST ${one}/discussions`, { json });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const [note] = made.body.notes;
      return { thread: made.body.id, note, ...note.suggestions[0] };
    };
    const apply = (id: number, person = scene.developer, json: Record<string, unknown> = {}) =>
      scene.api(person, `PUT /suggestions/${id}/apply`, { json });
    const file = async () =>
      (await scene.api(scene.owner, `GET /projects/${scene.project.id}/repository/files/list.txt/raw?ref=topic`)).text;
    const tip = async () =>
      (await scene.api(scene.owner, `GET /projects/${scene.project.id}/repository/commits/topic`)).body;

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'list.txt', 'a\nb\nc\nd\ne\nf\n');
      one = `${scene.base}/${(await scene.open(scene.developer, 'topic')).iid}`;
    });

    it('are shown with the lines they replace', async () => {
      const { id, note } = await suggest(2, 'B', '-1+1');
      assert.deepEqual(note.suggestions, [
        {
          id,
          from_line: 1,
          to_line: 3,
          appliable: true,
          applied: false,
          from_content: 'a\nb\nc\n',
          to_content: 'B\n',
        },
      ]);
      const json = { body: 'Nothing after all' };
      const changed = await scene.api(scene.reporter, `PUT ${one}/notes/${note.id}`, { json });
      assert.deepEqual(changed.body.suggestions, []);
      assert.equal((await apply(id)).status, 404);
    });

    it('are committed by the user who applies them', async () => {
      const { id, thread } = await suggest(2, 'B');
      assert.equal((await apply(id, scene.reporter)).status, 403);
      const applied = await apply(id);
      assert.equal(applied.status, 200, JSON.stringify(applied.body));
      assert.deepEqual([applied.body.applied, applied.body.appliable], [true, false]);
      assert.equal(await file(), 'a\nB\nc\nd\ne\nf\n');
      const commit = await tip();
      assert.equal(commit.title, 'Apply 1 suggestion(s) to 1 file(s)');
      assert.match(commit.message, /\n\nCo-authored-by: .*reporter.* <.+>$/);
      assert.equal(commit.committer_name, scene.developer.user.name);
      const { body } = await scene.api(scene.owner, `GET ${one}/discussions/${thread}`);
      assert.equal(body.notes[0].resolved, true);
      const again = await apply(id);
      assert.deepEqual([again.status, again.body.message], [400, "Can't apply this suggestion."]);
      await settle();
      assert.equal((await scene.api(scene.owner, `GET ${one}`)).body.sha, commit.id);
    });

    it('are applied together or not at all', async () => {
      const [third, fourth, across] = [await suggest(3, 'C'), await suggest(4, 'D\nDD'), await suggest(4, 'X', '-1+0')];
      const batch = (...ids: number[]) =>
        scene.api(scene.developer, 'PUT /suggestions/batch_apply', {
          json: { ids, commit_message: '%{username}: %{suggestions_count} in %{file_paths}' },
        });
      const overlapping = await batch(third.id, across.id);
      assert.deepEqual(
        [overlapping.status, overlapping.body.message],
        [400, 'Suggestions are not applicable as their lines cannot overlap.'],
      );
      assert.equal((await batch(third.id, 999_999)).status, 404);
      const applied = await batch(third.id, fourth.id);
      assert.equal(applied.status, 200, JSON.stringify(applied.body));
      assert.equal(await file(), 'a\nB\nC\nD\nDD\ne\nf\n');
      assert.equal((await tip()).title, `${scene.developer.user.username}: 2 in list.txt`);
      await settle();
      const stale = await apply(across.id);
      assert.deepEqual(
        [stale.status, stale.body.message],
        [400, "Can't apply as these lines were changed in a more recent version."],
      );
    });

    it('follow their lines, and are rejected without effect', async () => {
      const moving = await suggest(6, 'E');
      const same = await suggest(7, 'f');
      assert.equal(same.appliable, false);
      const nothing = await apply(same.id);
      assert.deepEqual([nothing.status, nothing.body.message], [400, 'This suggestion already matches its content.']);
      await scene.git.git(
        'fetch',
        '-q',
        `${scene.server.url}/${scene.owner.user.username}/${scene.project.path}.git`,
        'topic',
      );
      await scene.git.git('checkout', '-q', '-B', 'topic', 'FETCH_HEAD');
      await scene.branch('topic', 'list.txt', 'zero\na\nB\nC\nD\nDD\ne\nf\n', 'topic');
      assert.equal((await apply(moving.id)).status, 200);
      assert.equal(await file(), 'zero\na\nB\nC\nD\nDD\nE\nf\n');
      await settle();
    });

    it('are applied once under concurrent requests', async () => {
      const { id } = await suggest(1, 'null');
      const answers = await Promise.all([apply(id), apply(id)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
      await settle();
    });

    it('use the template of the project and require push permission', async () => {
      const { owner, project, developer, outsider } = scene;
      const json = { suggestion_commit_message: 'As %{user_full_name} says' };
      await scene.server.must(`PUT /projects/${project.id}`, { token: owner.token, json });
      const { id } = await suggest(2, 'AA');
      assert.equal((await apply(id, outsider)).status, 403);
      assert.equal((await scene.api(null, `PUT /suggestions/${id}/apply`)).status, 401);
      const rule = { json: { name: 'topic', push_access_level: 40 } };
      assert.equal((await scene.api(owner, `POST /projects/${project.id}/protected_branches`, rule)).status, 201);
      assert.equal((await apply(id, developer)).status, 403);
      assert.equal((await apply(id, owner)).status, 200);
      assert.equal((await tip()).title, `As ${owner.user.name} says`);
    });

    it('cannot be applied after the merge request is closed', async () => {
      const { id } = await suggest(3, 'end');
      await scene.api(scene.developer, `PUT ${one}`, { json: { state_event: 'close' } });
      const closed = await apply(id, scene.owner);
      assert.deepEqual(
        [closed.status, closed.body.message],
        [400, 'This merge request is closed. To apply this suggestion, edit this file directly.'],
      );
      assert.equal((await apply(4_000_000_000)).status, 404);
    });
  });
});
