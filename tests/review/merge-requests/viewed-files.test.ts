import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

const [one, two] = ['a'.repeat(16), '0123456789abcdef'.repeat(4)];

forEachEngine((engine) => {
  describe('viewed files of a merge request', () => {
    let scene: ReviewScene;
    const at = (version = '') => `${scene.base}/1/viewed_files${version && `/${version}`}`;
    const seenBy = async (person: ReviewScene['owner']) => {
      const { status, body } = await scene.api(person, `GET ${at()}`);
      assert.equal(status, 200);
      return body.map((mark: { version: string }) => mark.version);
    };

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('one', 'one.txt', 'one\n');
      await scene.open(scene.owner, 'one');
    });

    it('can be marked once per user', async () => {
      for (const version of [one, two, one]) {
        assert.equal((await scene.api(scene.owner, `PUT ${at(version)}`)).status, 204);
      }
      assert.deepEqual(await seenBy(scene.owner), [two, one]);
      assert.deepEqual(await seenBy(scene.developer), []);
      const [latest] = (await scene.api(scene.owner, `GET ${at()}?per_page=1`)).body;
      assert.equal(new Date(latest.viewed_at).toISOString(), latest.viewed_at);
    });

    it('can be unmarked by the same user', async () => {
      assert.equal((await scene.api(scene.developer, `DELETE ${at(one)}`)).status, 204);
      assert.deepEqual(await seenBy(scene.owner), [two, one]);
      assert.equal((await scene.api(scene.owner, `DELETE ${at(one)}`)).status, 204);
      assert.equal((await scene.api(scene.owner, `DELETE ${at(one)}`)).status, 204);
      assert.deepEqual(await seenBy(scene.owner), [two]);
    });

    it('are identified by digests and require a readable merge request', async () => {
      for (const version of ['short', 'A'.repeat(16), 'a'.repeat(65), '..%2f..%2fmerge', `${'a'.repeat(15)}%00`]) {
        assert.equal((await scene.api(scene.owner, `PUT ${at(version)}`)).status, 400, version);
      }
      assert.equal((await scene.api(null, `GET ${at()}`)).status, 401);
      assert.equal((await scene.api(null, `PUT ${at(one)}`)).status, 401);
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/9/viewed_files/${one}`)).status, 404);
    });
  });
});
