import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('merge requests and related issues', () => {
    let scene: ReviewScene;
    let one: string;
    let issues: string;

    const settle = () => scene.server.running.services.queue.drain();
    const issue = (title: string, more: Record<string, unknown> = {}) =>
      scene.server.must(`POST ${issues}`, { token: scene.owner.token, json: { title, ...more } });
    const say = async (person: Person, body: string, more: Record<string, unknown> = {}) => {
      const { status, body: note } = await scene.api(person, `POST ${one}/notes`, { json: { body, ...more } });
      assert.equal(status, 201);
      await settle();
      return note;
    };
    const iids = async (person: Person | null, path: string) => {
      const { status, body } = await scene.api(person, `GET ${path}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.map(({ iid }: { iid: number }) => iid);
    };

    before(async () => {
      scene = await reviewScene(engine);
      issues = `/projects/${scene.project.id}/issues`;
      await scene.branch('topic', 'topic.txt', 'topic');
      const { iid } = await scene.open(scene.developer, 'topic');
      one = `${scene.base}/${iid}`;
      await settle();
    });

    it('are related by title, description, commits and notes', async () => {
      const [titled, described, committed, response] = [
        await issue('In the title'),
        await issue('In the description'),
        await issue('In a commit'),
        await issue('In a comment'),
      ];
      await scene.git.git('checkout', '-q', 'topic');
      await scene.git.commit({ 'more.txt': 'x' }, `More of #${committed.iid}`);
      await scene.push(scene.owner, 'topic');
      const json = { title: `About #${titled.iid}`, description: `See #${described.iid}, closes #${titled.iid}` };
      assert.equal((await scene.api(scene.owner, `PUT ${one}`, { json })).status, 200);
      await settle();
      const before = [titled.iid, described.iid, committed.iid];
      assert.deepEqual(await iids(scene.owner, `${one}/related_issues`), before);
      await say(scene.outsider, `And #${response.iid}, as #${titled.iid}`);
      assert.deepEqual(await iids(scene.owner, `${one}/related_issues`), [...before, response.iid]);
      assert.deepEqual(await iids(null, `${one}/related_issues`), [...before, response.iid]);
      assert.deepEqual(await iids(scene.owner, `${one}/closes_issues`), [titled.iid]);
    });

    it('are visible only to users with access', async () => {
      const { owner, developer, reporter, outsider } = scene;
      const worker = await addPerson(scene.server, 'worker');
      await addMember(scene.server, scene.project, worker, 10);
      const hidden = await issue('Hidden', { confidential: true, assignee_ids: [worker.user.id] });
      await say(owner, `Because of #${hidden.iid}`);
      const { body } = await scene.api(owner, `PUT ${one}`, { json: { description: `Fixes #${hidden.iid}` } });
      assert.equal(body.state, 'opened');
      await settle();
      const sees = async (person: Person | null) => [
        (await iids(person, `${one}/related_issues`)).includes(hidden.iid),
        (await iids(person, `${one}/closes_issues`)).includes(hidden.iid),
      ];
      for (const person of [owner, developer, reporter, worker]) assert.deepEqual(await sees(person), [true, true]);
      for (const person of [outsider, null]) assert.deepEqual(await sees(person), [false, false]);
    });

    it('are paginated with totals of readable items', async () => {
      const many = [];
      for (let at = 1; at <= 5; at += 1) many.push(await issue(`Number ${at}`));
      const numbers = many.map(({ iid }) => iid);
      const description = numbers.map((iid) => `Closes #${iid}`).join('\n\n');
      await scene.branch('other', 'other.txt', 'x');
      const json = { description: `Closes #${numbers[0]}` };
      const other = await scene.open(scene.developer, 'other', json);
      await scene.api(scene.owner, `PUT ${one}`, { json: { title: 'Plain', description } });
      await settle();
      const page = await scene.api(scene.outsider, `GET ${one}/closes_issues?per_page=2&page=2`);
      assert.deepEqual(
        page.body.map(({ iid }: { iid: number }) => iid),
        numbers.slice(2, 4),
      );
      assert.deepEqual([page.headers.get('x-total'), page.headers.get('x-next-page')], ['5', '3']);
      const own = `${issues}/${numbers[0]}`;
      for (const list of ['closed_by', 'related_merge_requests']) {
        const first = await scene.api(scene.outsider, `GET ${own}/${list}?per_page=1`);
        assert.deepEqual([first.body[0].iid, first.headers.get('x-total')], [other.iid, '2']);
        assert.deepEqual((await iids(null, `${own}/${list}?per_page=1&page=2`)).length, 1);
      }
      await scene.api(scene.owner, `PUT /projects/${scene.project.id}`, {
        json: { merge_requests_access_level: 'private' },
      });
      for (const list of ['closed_by', 'related_merge_requests']) {
        assert.deepEqual(await iids(scene.outsider, `${own}/${list}`), []);
        assert.equal((await iids(scene.reporter, `${own}/${list}`)).length, 2);
      }
    });

    it('are limited for a text that names thousands', async () => {
      const { iid } = await issue('Last');
      const description = Array.from({ length: 3000 }, (_, at) => `Closes group-${at}/project#1`).join('\n\n');
      const json = { description: `Closes #${iid}\n\n${description}` };
      assert.equal((await scene.api(scene.owner, `PUT ${one}`, { json })).status, 200);
      assert.deepEqual(await iids(scene.owner, `${one}/closes_issues`), [iid]);
    });
  });
});
