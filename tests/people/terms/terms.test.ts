import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { mustAcceptTerms, termsDigest } from '../../../src/access/credentials/terms-enforcement.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const text = '# Be kind\n\nAnd <script>alert(1)</script> rinse the pot.';

describe('who must accept the terms', () => {
  const accepted = termsDigest(text);
  const cases = [
    ['nobody while they are not enforced', { enforce_terms: false, terms: text }, 'human', null, false],
    ['nobody if the text is blank', { enforce_terms: true, terms: '  ' }, 'human', null, false],
    ['nobody if there is no text', { enforce_terms: true, terms: null }, 'human', null, false],
    ['users who have not accepted them', { enforce_terms: true, terms: text }, 'human', null, true],
    ['no user who has accepted them', { enforce_terms: true, terms: text }, 'human', accepted, false],
    ['users who accepted a different text', { enforce_terms: true, terms: `${text}.` }, 'human', accepted, true],
    ['no bots', { enforce_terms: true, terms: text }, 'project_bot', null, false],
  ] as const;
  for (const [name, settings, kind, accepted_terms, expected] of cases) {
    it(name, () => assert.equal(mustAcceptTerms(settings, { kind, accepted_terms }), expected));
  }
});

forEachEngine((engine) => {
  describe('terms of service', () => {
    let server: TestServer;
    let anna: Awaited<ReturnType<typeof addUser>>;
    let bot: string;
    const page = '/-/users/terms';
    const home = '/-/user_settings/profile';

    before(async () => {
      server = await startTestServer(engine);
      anna = await addUser(server, 'anna');
      const project = await server.must('POST /projects', {
        json: { name: 'pot', visibility: 'private', initialize_with_readme: true },
      });
      const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      const created = await server.must(`POST /projects/${project.id}/access_tokens`, {
        json: { name: 'bot', scopes: ['api'], access_level: 40, expires_at },
      });
      bot = created.token;
    });

    const set = (json: Record<string, unknown>) => server.api('PUT /application/settings', { json });
    const signedIn = async (login: string, password: string) => {
      const browser = new Browser(server);
      await browser.signIn(login, password);
      return browser;
    };
    const git = (secret: string) =>
      fetch(`${server.url}/root/pot.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` },
      });
    const me = (token: string) => server.api('GET /user', { token });

    it('require a text of limited length when enforced', async () => {
      assert.deepEqual((await set({ enforce_terms: true })).body, { message: { terms: ["can't be blank"] } });
      assert.equal((await set({ enforce_terms: true, terms: '  ' })).status, 400);
      assert.equal((await set({ terms: 'x'.repeat(100_001) })).status, 400);
      assert.equal((await new Browser(server).open(page)).status, 404);
    });

    it('block the API, Git and pages until accepted, except for bots', async () => {
      const before = await signedIn(anna.username, 'long enough 4 you');
      const { status, body } = await set({ enforce_terms: true, terms: text });
      assert.equal(status, 200);
      assert.deepEqual([body.enforce_terms, body.terms], [true, text]);
      const refused = await me(anna.token);
      assert.equal(refused.status, 403);
      assert.match(refused.body.message, /^403 Forbidden - You must accept the terms of use .*\/-\/users\/terms$/);
      assert.equal((await git(anna.token)).status, 403);
      assert.equal((await server.api('GET /application/settings')).status, 403, 'administrators too');
      assert.equal((await me(bot)).status, 200);
      assert.equal((await git(bot)).status, 200);
      const led = await before.open(home);
      assert.equal(led.headers.get('location'), `${page}?redirect=${encodeURIComponent(home)}`);
      assert.equal((await before.open('/explore')).status, 303);
      const events = await before.open('/explore', { accept: 'text/event-stream' });
      assert.equal(events.status, 204);
    });

    it('are public and accepted in the version that was read', async () => {
      assert.match((await new Browser(server).page(page)) ?? '', /Be kind[\s\S]*rinse the pot/);
      const browser = await signedIn(anna.username, 'long enough 4 you');
      const address = `${page}?redirect=${encodeURIComponent(home)}`;
      const digest = termsDigest(text);
      assert.match(await browser.page(address), new RegExp(`value="${digest}"[\\s\\S]*Accept the terms`));
      assert.equal((await browser.post(`${page}/accept`, { digest })).status, 422, 'without CSRF token');
      const stale = await browser.fill(address, `${page}/accept`, { digest: termsDigest('others') });
      assert.equal(stale.status, 409);
      assert.match(stale.text, /have changed since you opened them/);
      assert.equal((await me(anna.token)).status, 403);
      const outside = await browser.fill(address, `${page}/accept`, { digest, redirect: '//elsewhere.example' });
      assert.equal(outside.headers.get('location'), '/');
      assert.equal((await me(anna.token)).status, 200);
      assert.equal((await git(anna.token)).status, 404, 'a private project of another user');
      assert.equal((await browser.open(home)).status, 200);
      const again = await browser.page(page);
      assert.match(again, /You accepted these terms/);
      assert.doesNotMatch(again, /Accept the terms/);
    });

    it('sign users out who decline', async () => {
      const browser = await signedIn('root', rootPassword);
      const { status, headers } = await browser.fill(page, `${page}/decline`, {});
      assert.deepEqual([status, headers.get('location')], [303, '/users/sign_in']);
      assert.equal((await browser.open(home)).headers.get('location')?.startsWith('/users/sign_in'), true);
      const back = await signedIn('root', rootPassword);
      const taken = await back.fill(page, `${page}/accept`, { digest: termsDigest(text), redirect: '/admin' });
      assert.equal(taken.headers.get('location'), '/admin');
    });

    it('are recorded verbatim with the users who accepted them', async () => {
      const events = await server.must('GET /audit_events?entity_type=User');
      const acceptances = events.filter((one: { event_name: string }) => one.event_name === 'user_accepted_terms');
      assert.deepEqual(acceptances.map((one: { author_id: number }) => one.author_id).sort(), [1, anna.id].sort());
      const rows = await server.db.read
        .selectFrom('terms_acceptances as a')
        .innerJoin('terms as t', 't.id', 'a.terms_id')
        .select(['a.user_id', 't.text'])
        .orderBy('a.user_id')
        .execute();
      assert.deepEqual(
        rows,
        [1, anna.id].map((user_id) => ({ user_id, text })),
      );
    });

    it('must be accepted again after a change, and not if no longer enforced', async () => {
      const browser = await signedIn('root', rootPassword);
      assert.equal((await set({ terms: `${text}\n\nTwice.` })).status, 200);
      assert.equal((await me(anna.token)).status, 403);
      const digest = termsDigest(`${text}\n\nTwice.`);
      await browser.fill(page, `${page}/accept`, { digest });
      assert.equal((await set({ enforce_terms: false })).status, 200);
      assert.equal((await me(anna.token)).status, 200);
      assert.equal((await new Browser(server).open(page)).status, 404);
    });
  });
});
