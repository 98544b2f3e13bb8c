import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type Answer, rootToken, startTestServer, type TestServer } from '../../support/server.ts';

type Somebody = { readonly id: number; readonly username: string; readonly token: string };
type Role = 'maintainer' | 'developer' | 'guest' | 'outsider';

forEachEngine((engine) => {
  describe('notes on wiki pages', () => {
    let server: TestServer;
    const people = {} as Record<Role, Somebody>;
    /** Paths of the project or group and of the notes of its page. */
    const places: { readonly place: string; readonly page: string; readonly notes: string }[] = [];
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const as = (role: Role, call: string, json?: object) =>
      server.api(call, { token: people[role].token, ...(json && { json }) });
    const noteCount = async () => {
      const rows = server.db.read.selectFrom('notes').select('id').where('noteable_type', '=', 'WikiPage::Meta');
      return (await rows.execute()).length;
    };

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', {
        json: { name: 'Group', path: 'group', visibility: 'private' },
      });
      const project = await server.must('POST /projects', { json: { name: 'P', visibility: 'private' } });
      const levels = { maintainer: 40, developer: 30, guest: 10, outsider: 0 };
      for (const [role, access_level] of Object.entries(levels) as [Role, number][]) {
        people[role] = await addUser(server, role);
        if (access_level === 0) continue;
        for (const place of [`/groups/${group.id}`, `/projects/${project.id}`]) {
          await server.must(`POST ${place}/members`, { json: { user_id: people[role].id, access_level } });
        }
      }
      for (const place of [`/projects/${project.id}`, `/groups/${group.id}`]) {
        const made = await server.must(`POST ${place}/wikis`, { json: { title: 'Some page', content: 'Text' } });
        places.push({ place, page: 'Some-page', notes: `${place}/wiki_pages/${made.wiki_page_meta_id}/notes` });
      }
    });

    it('can be created, listed, updated and deleted', async () => {
      for (const { place, notes } of places) {
        const { status, body } = await as('guest', `POST ${notes}`, { body: 'Is this so?' });
        assert.equal(status, 201);
        assert.deepEqual(
          [body.body, body.noteable_type, body.noteable_iid, body.resolvable, body.internal, body.system],
          ['Is this so?', 'WikiPage::Meta', null, false, false, false],
        );
        assert.ok(notes.includes(`/${body.noteable_id}/`));
        assert.equal(body.project_id, place.startsWith('/projects') ? Number(place.split('/')[2]) : null);
        const second = await as('developer', `POST ${notes}`, { body: ':thumbsup:' });
        assert.deepEqual([second.status, second.body.body], [201, ':thumbsup:'], 'a wiki page has no emoji reactions');
        const listed = await as('guest', `GET ${notes}?sort=asc&per_page=1`);
        assert.deepEqual(
          [listed.body.map(({ id }: { id: number }) => id), listed.headers.get('x-total')],
          [[body.id], '2'],
        );
        assert.equal((await as('guest', `GET ${notes}?activity_filter=only_activity`)).body.length, 0);
        assert.equal((await as('developer', `GET ${notes}/${body.id}`)).body.body, 'Is this so?');
        const changed = await as('guest', `PUT ${notes}/${body.id}`, { body: 'It is.' });
        assert.deepEqual([changed.status, changed.body.body], [200, 'It is.']);
        assert.equal((await as('maintainer', `DELETE ${notes}/${second.body.id}`)).status, 204);
        assert.equal((await as('guest', `DELETE ${notes}/${body.id}`)).status, 204);
        assert.equal((await as('guest', `GET ${notes}/${body.id}`)).status, 404);
      }
    });

    it('appear in the activity feed of users who can read the wiki', async () => {
      const [{ place, notes } = assert.fail()] = places;
      const { body } = await as('guest', `POST ${notes}`, { body: 'Heard' });
      const feed = () => as('developer', `GET ${place}/events?target_type=note`);
      const [event] = (await feed()).body;
      assert.deepEqual(
        [event.action_name, event.target_title, event.note.id, event.note.noteable_type, event.note.resolvable],
        ['commented on', 'Some page', body.id, 'WikiPage::Meta', false],
      );
      await server.must(`PUT ${place}`, { json: { wiki_access_level: 'disabled' } });
      assert.ok((await feed()).body.every(({ note }: { note: { id: number } }) => note.id !== body.id));
      assert.equal((await as('developer', `GET ${notes}`)).status, 403);
      await server.must(`PUT ${place}`, { json: { wiki_access_level: 'enabled' } });
    });

    it('notify mentioned users who can read the wiki', async () => {
      const todosOf = async (role: Role) => (await as(role, 'GET /todos')).body;
      for (const { notes, place } of places) {
        const named = (['developer', 'outsider'] as const).map((role) => `@${people[role].username}`).join(' and ');
        const { body } = await as('guest', `POST ${notes}`, { body: `What do ${named} say?` });
        await server.running.services.queue.drain();
        const [todo, ...more] = await todosOf('developer');
        assert.deepEqual(
          [todo.action_name, todo.target_type, todo.body, todo.target.title, more],
          ['mentioned', 'WikiPage::Meta', body.body, 'Some page', []],
        );
        assert.match(todo.target_url, new RegExp(`/-/wikis/Some-page#note_${body.id}$`));
        assert.equal(Boolean(todo.group), place.startsWith('/groups'));
        assert.deepEqual(await todosOf('outsider'), []);
        await as('developer', `POST ${notes}`, { body: 'This.' });
        assert.deepEqual(await todosOf('developer'), [], 'a reply completes the to-do item');
        await as('guest', `POST ${notes}`, {
          body: `And ${people.maintainer.username}, or @${people.maintainer.username}?`,
        });
        await server.running.services.queue.drain();
        assert.equal((await todosOf('maintainer')).length, places.findIndex((each) => each.place === place) + 1);
      }
    });

    it('reject callers without permission and missing pages', async () => {
      for (const { place, notes } of places) {
        const { body } = await as('developer', `POST ${notes}`, { body: 'Mine' });
        const one = `${notes}/${body.id}`;
        const calls = [`GET ${notes}`, `POST ${notes}`, `GET ${one}`, `PUT ${one}`, `DELETE ${one}`];
        for (const call of calls) {
          const sent = /^P/.test(call) ? { json: { body: 'x' } } : {};
          assert.equal((await server.api(call, { token: null, ...sent })).status, 401, call);
          assert.equal((await server.api(call, { token: 'wrong', ...sent })).status, 401, call);
          assert.equal((await server.api(call, { token: people.outsider.token, ...sent })).status, 404, call);
        }
        assert.equal((await as('guest', `PUT ${one}`, { body: 'x' })).status, 403);
        assert.equal((await as('guest', `DELETE ${one}`)).status, 403);
        assert.equal((await as('guest', `POST ${notes}`, { body: ' ' })).status, 400);
        assert.deepEqual(says(await as('guest', `POST ${notes}`, {})), [400, 'body is missing']);
        assert.equal((await as('maintainer', `POST ${notes}`, { body: 'x', internal: true })).status, 400);
        assert.equal((await as('guest', `POST ${notes}`, { body: 'x'.repeat(1_000_001) })).status, 400);
        const none = await as('guest', `GET ${place}/wiki_pages/999999/notes`);
        assert.deepEqual(says(none), [404, '404 Wiki Page Not Found']);
      }
      const [ofProject = assert.fail(), ofGroup = assert.fail()] = places;
      // The ID is only valid in the wiki of the path.
      const crossed = ofGroup.place + ofProject.notes.slice(ofProject.place.length);
      assert.equal((await as('maintainer', `GET ${crossed}`)).status, 404);
      await server.must(`PUT ${ofGroup.place}`, { json: { wiki_access_level: 'disabled' } });
      assert.equal((await as('maintainer', `GET ${ofGroup.notes}`)).status, 404);
      await server.must(`PUT ${ofGroup.place}`, { json: { wiki_access_level: 'enabled' } });
    });

    it('are kept when the page is renamed, and deleted with it', async () => {
      for (const { place, page, notes } of places) {
        const before = (await as('guest', `GET ${notes}`)).body.length;
        assert.ok(before > 0);
        await server.must(`PUT ${place}/wikis/${page}`, { json: { title: 'Other' } });
        assert.equal((await as('guest', `GET ${notes}`)).body.length, before);
        await server.must(`DELETE ${place}/wikis/Other`);
        assert.equal((await as('guest', `GET ${notes}`)).status, 404);
      }
      assert.equal(await noteCount(), 0);
      assert.deepEqual((await as('maintainer', 'GET /todos')).body, []);
    });

    it('are kept when a push renames the page, and deleted when it deletes the page', async () => {
      const project = await server.must('POST /projects', { json: { name: 'Moved' } });
      const place = `/projects/${project.id}`;
      const text = (title: string) => `A line on ${title}\n`.repeat(20);
      const notesOf = async (slug: string) => {
        const page = await server.must(`GET ${place}/wikis/${encodeURIComponent(slug)}`);
        return `${place}/wiki_pages/${page.wiki_page_meta_id}/notes`;
      };
      for (const title of ['kept', 'moved', 'gone']) {
        await server.must(`POST ${place}/wikis`, { json: { title, content: text(title) } });
        await server.must(`POST ${await notesOf(title)}`, { json: { body: `On ${title}` } });
      }
      const client = new GitClient();
      const path = `${project.path_with_namespace}.wiki`;
      await client.git('clone', '-q', withCredentials(server.url, path, 'root', rootToken), 'wiki');
      const inWiki = (...args: string[]) => client.git('-C', 'wiki', ...args);
      await mkdir(join(client.folder, 'wiki', 'deep'));
      await inWiki('mv', 'moved.md', 'deep/moved.rdoc');
      writeFileSync(join(client.folder, 'wiki', 'deep', 'moved.rdoc'), `Changed\n${text('moved')}`);
      // The page still exists in another format, so it was not moved.
      await inWiki('mv', 'kept.md', 'kept.org');
      await inWiki('rm', '-q', 'gone.md');
      await inWiki('add', '-A');
      await inWiki('commit', '-qm', 'Move');
      await inWiki('push', '-q', 'origin', 'HEAD');
      await server.running.services.queue.drain();
      for (const [slug, response] of [
        ['kept', 'On kept'],
        ['deep/moved', 'On moved'],
      ] as const) {
        const notes = await server.must(`GET ${await notesOf(slug)}`);
        assert.deepEqual(
          notes.map(({ body }: { body: string }) => body),
          [response],
        );
      }
      const left = server.db.read.selectFrom('notes').select('body').where('body', '=', 'On gone');
      assert.deepEqual(await left.execute(), []);
      const events = await server.must(`GET ${place}/events?target_type=wiki&per_page=3`);
      assert.deepEqual(
        events.map((event: Record<string, string>) => `${event.action_name} ${event.target_title}`).sort(),
        ['destroyed gone', 'updated deep/moved', 'updated kept'],
      );
    });
  });
});
