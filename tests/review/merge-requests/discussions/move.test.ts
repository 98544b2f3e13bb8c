import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';

interface Shown {
  readonly body: string;
  readonly system: boolean;
  readonly resolved?: boolean;
  readonly position?: { readonly head_sha: string; readonly new_line: number | null; readonly new_path: string };
}

forEachEngine((engine) => {
  describe('diff threads after a push to the source', () => {
    let scene: ReviewScene;
    let one: string;

    const comment = async (line: number, more: Record<string, unknown> = {}) => {
      const { body: request } = await scene.api(scene.reporter, `GET ${one}`);
      const at = { old_path: 'list.txt', new_path: 'list.txt', position_type: 'text', new_line: line };
      const json = { body: `on ${line}`, position: { ...request.diff_refs, ...at, ...more } };
      const { status, body } = await scene.api(scene.reporter, `POST ${one}/discussions`, { json });
      assert.equal(status, 201, JSON.stringify(body));
      return `${one}/discussions/${body.id}`;
    };
    const shown = async (thread: string): Promise<Shown[]> =>
      (await scene.api(scene.owner, `GET ${thread}`)).body.notes;
    const push = async (file: string, content: string) => {
      const head = await scene.branch('topic', file, content, 'topic');
      await scene.server.running.services.queue.drain();
      return head;
    };

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'list.txt', 'a\nb\nc\nd\n');
      one = `${scene.base}/${(await scene.open(scene.developer, 'topic')).iid}`;
    });

    it('follow their lines, and stay where those were changed', async () => {
      const [follows, changed, file] = [
        await comment(4),
        await comment(2),
        await comment(1, { position_type: 'file', new_line: undefined }),
      ];
      await scene.api(scene.owner, `POST ${changed}/notes`, { json: { body: 'Indeed' } });
      const [first] = await shown(changed);
      const head = await push('list.txt', 'zero\na\nB\nc\nd\n');
      const [moved] = await shown(follows);
      assert.deepEqual([moved?.position?.new_line, moved?.position?.head_sha], [5, head]);
      assert.equal((await shown(file))[0]?.position?.head_sha, head);
      const notes = await shown(changed);
      assert.deepEqual(notes[0]?.position, first?.position);
      assert.deepEqual(
        notes.map(({ system, resolved }) => [system, resolved]),
        [
          [false, false],
          [false, false],
          [true, undefined],
        ],
      );
      const path = `${scene.owner.user.username}/${scene.project.path}`;
      assert.match(notes[2]?.body ?? '', new RegExp(`^changed this line in \\[version 2 of the diff\\]\\(/${path}/-/`));
      await push('list.txt', 'zero\na\nBB\nc\nd\n');
      assert.equal((await shown(changed)).length, 3, 'said once');
    });

    it('are moved when created on an older version', async () => {
      const [newest, oldest] = await scene
        .api(scene.owner, `GET ${one}/versions`)
        .then(({ body }) => [body[0], body.at(-1)]);
      const refs = {
        base_sha: oldest.base_commit_sha,
        start_sha: oldest.start_commit_sha,
        head_sha: oldest.head_commit_sha,
      };
      const thread = await comment(4, refs);
      await scene.server.running.services.queue.drain();
      const [note] = await shown(thread);
      assert.deepEqual([note?.position?.new_line, note?.position?.head_sha], [5, newest.head_commit_sha]);
    });

    it('follow a renamed file, including line ranges', async () => {
      const end = (new_line: number) => ({ type: 'new', new_line });
      const ranged = await comment(5, { line_range: { start: end(4), end: end(5) } });
      await scene.git.git('checkout', '-q', 'topic');
      await scene.git.git('mv', 'list.txt', 'names.txt');
      await scene.git.git('commit', '-qm', 'Rename');
      await scene.push(scene.owner, 'topic');
      await scene.server.running.services.queue.drain();
      const [note] = await shown(ranged);
      assert.deepEqual([note?.position?.new_path, note?.position?.new_line], ['names.txt', 5]);
      const range = (note?.position as { line_range?: { start?: { new_line: number } } } | undefined)?.line_range;
      assert.equal(range?.start?.new_line, 4);
    });

    it('are resolved when their line changes if the project is configured so', async () => {
      const { owner, project } = scene;
      const json = { resolve_outdated_diff_discussions: true };
      await scene.server.must(`PUT /projects/${project.id}`, { token: owner.token, json });
      const thread = await comment(1, { new_path: 'names.txt', old_path: 'names.txt' });
      await push('names.txt', 'ZERO\na\nBB\nc\nd\n');
      assert.equal((await shown(thread))[0]?.resolved, true);
    });
  });
});
