import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue lists of a user who can read some confidential issues', () => {
    let server: TestServer;
    let guest: Person;
    let group: { id: number };
    let project: Project;
    let toggled: { iid: number };

    before(async () => {
      server = await startTestServer(engine);
      guest = await addPerson(server, 'guest');
      group = await server.must('POST /groups', { json: { name: 'some', path: 'some', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'some', namespace_id: group.id, visibility: 'public' },
      });
      await addMember(server, project, guest, Role.guest);
      const all = { labels: 'bug', weight: 3, due_date: '2020-01-02' };
      const add = (title: string, more: object, token?: string) =>
        server.must(`POST /projects/${project.id}/issues`, {
          json: { title, ...all, ...more },
          ...(token && { token }),
        });
      await add('plain', {});
      await add('secret', { confidential: true });
      await add('assigned', { confidential: true, assignee_ids: [guest.user.id] });
      const own = await add('own', { confidential: true }, guest.token);
      // Guests cannot set these attributes; the guest is both author and assignee.
      await server.must(`PUT /projects/${project.id}/issues/${own.iid}`, {
        json: { ...all, assignee_ids: [guest.user.id] },
      });
      toggled = await add('toggled', {});
    });

    const places = () => [`/projects/${project.id}/issues`, `/groups/${group.id}/issues`];

    async function titles(address: string, token: string | null = guest.token): Promise<string[]> {
      const found = await server.api(`GET ${address}`, { token });
      assert.equal(found.status, 200, address);
      const listed = (found.body as { title: string }[]).map(({ title }) => title);
      assert.equal(found.headers.get('x-total'), String(listed.length), address);
      return listed.sort();
    }

    const filters = ['', 'labels=bug', 'weight=3', 'due_date=overdue', 'state=opened', 'not[labels]=other'];
    const orders = ['created_at', 'due_date', 'title', 'priority'];

    it('contain each readable issue once with any filter', async () => {
      for (const place of places()) {
        for (const filter of filters) {
          for (const order of orders) {
            const address = `${place}?${filter}&order_by=${order}`;
            assert.deepEqual(await titles(address), ['assigned', 'own', 'plain', 'toggled'], address);
          }
        }
        assert.deepEqual(await titles(`${place}?confidential=true`), ['assigned', 'own']);
        assert.deepEqual(await titles(`${place}?labels=bug&assignee_id=${guest.user.id}`), ['assigned', 'own']);
        assert.deepEqual(await titles(`${place}?scope=created_by_me`), ['own']);
        assert.deepEqual(await titles(place, null), ['plain', 'toggled']);
        assert.deepEqual(await titles(`${place}?labels=bug`, null), ['plain', 'toggled']);
      }
    });

    it('merge own confidential issues into keyset pagination', async () => {
      const seen: string[] = [];
      let next: string | undefined = `/projects/${project.id}/issues?pagination=keyset&per_page=2&sort=asc`;
      while (next) {
        const found: Awaited<ReturnType<typeof server.api>> = await server.api(`GET ${next}`, { token: guest.token });
        seen.push(...(found.body as { title: string }[]).map(({ title }) => title));
        const link: string | null = found.headers.get('link');
        next = /\/api\/v4([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
      }
      assert.deepEqual(seen, ['plain', 'assigned', 'own', 'toggled']);
    });

    it('follow changes of confidentiality', async () => {
      const change = (confidential: boolean) =>
        server.must(`PUT /projects/${project.id}/issues/${toggled.iid}`, {
          json: { confidential, add_labels: 'late' },
        });
      for (const [confidential, expected] of [
        [true, ['assigned', 'own', 'plain']],
        [false, ['assigned', 'own', 'plain', 'toggled']],
      ] as const) {
        await change(confidential);
        for (const place of places()) assert.deepEqual(await titles(`${place}?labels=bug`), expected);
        const late = confidential ? [] : ['toggled'];
        assert.deepEqual(await titles(`/projects/${project.id}/issues?labels=late`), late);
      }
    });
  });
});
