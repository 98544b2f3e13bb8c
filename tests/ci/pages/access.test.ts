import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { Browser } from '../../support/browser.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { dropTerms, enforceTerms } from '../../support/terms.ts';
import { domain, PagesPlace, type SiteAnswer } from './place.ts';

const configuration = 'pages: {script: make, artifacts: {paths: [public]}}';

forEachEngine((engine) => {
  describe('access to Pages sites', () => {
    let place: PagesPlace;
    let project: Project;
    let guest: Person;
    let stranger: Person;
    let url: string;

    const bearer = (person: Person) => ({ authorization: `Bearer ${person.token}` });
    const change = (json: Record<string, unknown>) =>
      place.server.must(`PUT /projects/${project.id}`, { token: place.owner.token, json });
    const cookies = ({ headers }: SiteAnswer) =>
      [headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0] ?? '');
    /** Opens a browser signed in to the main server. */
    const browserOf = async (person: Person) => {
      const { db, passwords } = place.server.running.services;
      const password_digest = await passwords.hash('correct horse battery');
      await db.write((trx) =>
        trx.updateTable('users').set({ password_digest }).where('id', '=', person.user.id).execute(),
      );
      const browser = new Browser(place.server);
      assert.equal((await browser.signIn(person.user.username, 'correct horse battery')).status, 303);
      return browser;
    };
    /**
     * Follows the redirects to the main server and back. Returns the last response and the cookie of the Pages host.
     */
    const roundTrip = async (browser: Browser, path = '/') => {
      const sent = await place.visit(url + path);
      assert.equal(sent.status, 302);
      const forge = new URL(String(sent.headers.location));
      assert.equal(forge.origin, place.server.url);
      const reported = await browser.open(forge.pathname + forge.search);
      assert.equal(reported.status, 302, reported.text);
      const back = String(reported.headers.get('location'));
      const entered = await place.visit(back, { cookie: cookies(sent).join('; ') });
      const cookie = cookies(entered).find((one) => one.startsWith('hearth_pages='));
      return { sent, back, entered, cookie: cookie ?? '' };
    };

    before(async () => {
      place = await PagesPlace.start(engine);
      guest = await addPerson(place.server, 'guest');
      stranger = await addPerson(place.server, 'stranger');
      project = await place.project('closed', configuration, { visibility: 'private' });
      await addMember(place.server, project, guest, Role.guest);
      await place.run({ 'public/index.html': 'for members' });
      ({ url } = await place.pages(project));
    });

    it('depends on the Pages access level and the project visibility', async () => {
      const seen = async () => {
        const answers = await Promise.all(
          [{}, bearer(stranger), bearer(guest)].map((one) => place.visit(`${url}/`, one)),
        );
        return answers.map(({ status }) => status);
      };
      assert.deepEqual(await seen(), [302, 404, 200]);
      await change({ pages_access_level: 'public' });
      assert.deepEqual(await seen(), [200, 200, 200]);
      await change({ pages_access_level: 'enabled' });
      assert.deepEqual(await seen(), [302, 404, 200]);
      await change({ visibility: 'internal' });
      assert.deepEqual(await seen(), [302, 200, 200]);
      await change({ visibility: 'public' });
      assert.deepEqual(await seen(), [200, 200, 200]);
      await change({ pages_access_level: 'private' });
      assert.deepEqual(await seen(), [302, 404, 200]);
      await change({ pages_access_level: 'disabled' });
      assert.deepEqual(await seen(), [302, 404, 404]);
      const hidden = await place.server.api(`GET /projects/${project.id}/pages`, { token: place.owner.token });
      assert.equal(hidden.status, 404);
      await change({ pages_access_level: 'private', visibility: 'private' });
    });

    it('does not reveal whether a hidden site exists', async () => {
      const nowhere = `http://no-such-group.${domain}:${new URL(url).port}/x`;
      const [none, closed] = [await place.visit(nowhere), await place.visit(`${url}/x`)];
      assert.deepEqual([none.status, closed.status], [302, 302]);
      const [missing, refused] = [
        await place.visit(nowhere, bearer(stranger)),
        await place.visit(`${url}/x`, bearer(stranger)),
      ];
      assert.deepEqual([missing.status, missing.text], [refused.status, refused.text]);
      assert.equal((await place.visit(`${url}/`, { authorization: 'Bearer glpat-nonsense' })).status, 404);
      const seen = await place.visit(`${url}/`, bearer(guest));
      assert.equal(seen.headers['cache-control'], 'private, no-cache');
      assert.equal(seen.headers['access-control-allow-origin'], undefined);
    });

    it('is granted for a while after signing in on the main server', async () => {
      const browser = await browserOf(guest);
      const { sent, entered, cookie } = await roundTrip(browser, '/index.html?a=b');
      assert.deepEqual([entered.status, entered.headers.location], [302, '/index.html?a=b']);
      for (const line of [...[sent.headers['set-cookie']].flat(), ...[entered.headers['set-cookie']].flat()]) {
        assert.match(String(line), /; HttpOnly; SameSite=Lax/);
      }
      const inside = await place.visit(`${url}/index.html`, { cookie });
      assert.deepEqual([inside.status, inside.text], [200, 'for members']);
      // Neither the main server accepts the cookie of a site, nor a site that of the main server.
      const api = await fetch(`${place.server.url}/api/v4/user`, { headers: { cookie } });
      assert.equal(api.status, 401);
      assert.equal((await place.visit(`${url}/`, { cookie: browser.cookie ?? '' })).status, 302);
      const other = `http://${place.owner.user.username}.${domain}:${new URL(url).port}/closed/`;
      assert.equal((await place.visit(other, { cookie })).headers.location?.includes('/-/pages/auth'), true);
    });

    it('ends when the user signs out, is blocked or leaves the project', async () => {
      const browser = await browserOf(guest);
      const { cookie } = await roundTrip(browser);
      assert.equal((await place.visit(`${url}/`, { cookie })).status, 200);
      const member = `/projects/${project.id}/members`;
      await place.server.must(`DELETE ${member}/${guest.user.id}`, { token: place.owner.token });
      assert.equal((await place.visit(`${url}/`, { cookie })).status, 404);
      await addMember(place.server, project, guest, Role.guest);
      assert.equal((await place.visit(`${url}/`, { cookie })).status, 200);
      await place.server.must(`POST /users/${guest.user.id}/block`);
      assert.equal((await place.visit(`${url}/`, { cookie })).status, 302);
      await place.server.must(`POST /users/${guest.user.id}/unblock`);
      const again = await browserOf(guest);
      const second = await roundTrip(again);
      assert.equal((await place.visit(`${url}/`, { cookie: second.cookie })).status, 200);
      await again.fill('/', '/users/sign_out', {});
      assert.equal((await place.visit(`${url}/`, { cookie: second.cookie })).status, 302);
    });

    it('requires accepting the terms of use, whatever the credentials', async () => {
      const browser = await browserOf(guest);
      const { cookie } = await roundTrip(browser);
      const seen = async (headers: Record<string, string>) => (await place.visit(`${url}/`, headers)).status;
      assert.deepEqual([await seen({ cookie }), await seen(bearer(guest))], [200, 200]);
      await enforceTerms(place.server);
      try {
        assert.deepEqual([await seen({ cookie }), await seen(bearer(guest))], [302, 404]);
        const forge = new URL(String((await place.visit(`${url}/`)).headers.location));
        const led = await browser.open(forge.pathname + forge.search);
        assert.equal(led.status, 302);
        const terms = String(led.headers.get('location'));
        assert.ok(terms.startsWith(`${place.server.url}/-/users/terms?redirect=`), terms);
        const digest = /name="digest" value="([^"]+)"/.exec(
          await browser.page(terms.slice(place.server.url.length)),
        )?.[1];
        const accepted = await browser.fill(terms.slice(place.server.url.length), '/-/users/terms/accept', {
          digest: digest ?? '',
          redirect: forge.pathname + forge.search,
        });
        assert.equal(accepted.headers.get('location'), forge.pathname + forge.search);
        assert.deepEqual([await seen({ cookie }), await seen(bearer(guest))], [200, 200]);
        assert.equal((await roundTrip(browser)).entered.status, 302);
      } finally {
        await dropTerms(place.server);
      }
    });

    it('is only granted to the browser that started the sign-in, and on the same host', async () => {
      const browser = await browserOf(guest);
      const { back, sent } = await roundTrip(browser);
      assert.equal((await place.visit(back)).status, 400);
      const other = await place.visit(`${url}/`);
      assert.equal((await place.visit(back, { cookie: cookies(other).join('; ') })).status, 400);
      const elsewhere = back.replace(new URL(url).hostname, `other.${domain}`);
      assert.equal((await place.visit(elsewhere, { cookie: cookies(sent).join('; ') })).status, 400);
      const forge = new URL(String(sent.headers.location));
      for (const origin of [
        'https://evil.example',
        `http://evil${domain}`,
        'javascript:alert(1)',
        '//x',
        `http://u@a.${domain}`,
      ]) {
        forge.searchParams.set('origin', origin);
        assert.equal((await browser.open(forge.pathname + forge.search)).status, 400, origin);
      }
    });

    it('redirects with a page after the sign-in form of the main server', async () => {
      const browser = await browserOf(guest);
      const sent = await place.visit(`${url}/`);
      const forge = new URL(String(sent.headers.location));
      const led = await browser.open(forge.pathname + forge.search, { 'sec-fetch-site': 'same-origin' });
      assert.equal(led.status, 200);
      const [, back = ''] = /^0; url=(.+)$/.exec(led.headers.get('refresh') ?? '') ?? [];
      assert.ok(back.startsWith(`${url}/-/pages/auth?code=`), back);
      assert.equal((await place.visit(back, { cookie: cookies(sent).join('; ') })).status, 302);
    });

    it('returns to the sign-in redirect after signing in on the main server', async () => {
      const sent = await place.visit(`${url}/`);
      const forge = new URL(String(sent.headers.location));
      const requested = await new Browser(place.server).open(forge.pathname + forge.search);
      assert.equal(requested.status, 302);
      const signIn = new URL(String(requested.headers.get('location')));
      assert.equal(signIn.pathname, '/users/sign_in');
      assert.equal(signIn.searchParams.get('redirect'), forge.pathname + forge.search);
    });
  });
});
