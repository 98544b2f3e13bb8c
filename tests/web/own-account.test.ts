import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const password = 'long enough 4 you';
const profile = '/-/user_settings/profile';
const account = '/-/profile/account';

forEachEngine((engine) => {
  describe("a user's own account", () => {
    let server: TestServer;
    let callers = 0;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
    });

    const set = (json: Record<string, unknown>) => server.must('PUT /application/settings', { json });
    afterEach(() =>
      set({
        updating_name_disabled_for_users: false,
        allow_account_deletion: true,
        maintenance_mode: false,
        domain_allowlist: [],
      }),
    );

    // Attempts are rate-limited by address.
    const browserOf = async (login: string, secret = password) => {
      const browser = new Browser(server, { 'x-forwarded-for': `198.51.100.${++callers}` });
      assert.equal((await browser.signIn(login, secret)).status, 303);
      return browser;
    };
    const newcomer = async (name: string) => {
      const user = await addUser(server, name);
      return { user, browser: await browserOf(user.username), email: `${user.username}@example.com` };
    };
    const stored = (id: number) => server.must(`GET /users/${id}`);
    const refused = async (browser: Browser, path: string, fields: Record<string, string>, reason: RegExp) => {
      const answer = await browser.fill('/-/user_settings/active_sessions', path, fields);
      assert.equal(answer.status, 422, `${path}: ${answer.status} ${answer.text}`);
      assert.match(answer.text, reason);
      return answer.text;
    };
    const emailsTo = async (address: string, subject: RegExp) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return messages.filter((message) => message.includes(`To: ${address}`) && subject.test(message));
    };
    const emailTo = async (address: string, subject: RegExp) => {
      await until(async () => (await emailsTo(address, subject)).length > 0);
      const [message = ''] = await emailsTo(address, subject);
      return message.replace(/=\r?\n/g, '').replace(/=3D/g, '=');
    };
    const confirmationIn = (message: string) => /https?:\/\/[^\s/]+(\/\S*(?:token)=[^\s"<]+)/.exec(message)?.[1] ?? '';

    describe('profile', () => {
      it('changes the name and the other fields', async () => {
        const { user, browser, email } = await newcomer('ada');
        await browser.send(profile, `${profile}/details`, {
          name: 'Ada Lovelace',
          pronouns: 'she',
          public_email: email,
          commit_email: '_private',
          website_url: 'https://ada.example',
          location: 'London',
          bio: hostile.element,
          private_profile: 'true',
        });
        const { name, pronouns, public_email, website_url, location, bio, private_profile, commit_email } =
          await stored(user.id);
        assert.deepEqual(
          [name, pronouns, public_email, website_url, location, bio, private_profile],
          ['Ada Lovelace', 'she', email, 'https://ada.example', 'London', hostile.element, true],
        );
        assert.match(commit_email, /users\.noreply/);
        assert.match(await browser.page(profile), /value="Ada Lovelace"/);
        await browser.send(profile, `${profile}/details`, { name: 'Ada', public_email: '', commit_email: '' });
        const changed = await stored(user.id);
        assert.deepEqual(
          [changed.name, changed.public_email, changed.commit_email, changed.private_profile, changed.location],
          ['Ada', null, email, false, 'London'],
        );
        const [space] = await server.must(`GET /namespaces?search=${user.username}`);
        assert.equal(space.name, 'Ada');
      });

      it('rejects invalid values, addresses of others and fields that are not its own', async () => {
        const { user, browser } = await newcomer('bob');
        const details = `${profile}/details`;
        assert.match(await refused(browser, details, { name: ' ' }, /Name can&#39;t be blank/), /value=" "/);
        await refused(browser, details, { name: 'x'.repeat(256) }, /too long/);
        await refused(browser, details, { website_url: 'javascript:alert(1)' }, /must be a valid URL/);
        await refused(browser, details, { public_email: 'root@example.com' }, /is not an email you own/);
        await refused(browser, details, { commit_email: 'root@example.com' }, /is not an email you own/);
        await browser.send(profile, details, {
          name: 'Bob',
          admin: 'true',
          projects_limit: '1000000',
          email: 'bob@evil.example',
          username: 'root2',
          password: 'another long phrase',
        });
        const { name, is_admin, projects_limit, email, username } = await stored(user.id);
        assert.deepEqual(
          [name, is_admin, projects_limit, email, username],
          ['Bob', false, 100_000, `${user.username}@example.com`, user.username],
        );
        await browserOf(user.username);
      });

      it('keeps the name if only administrators change names', async () => {
        const { user, browser } = await newcomer('cyd');
        await set({ updating_name_disabled_for_users: true });
        const page = await browser.page(profile);
        assert.match(page, /Only administrators can change names/);
        assert.doesNotMatch(page, /name="name"/);
        await refused(browser, `${profile}/details`, { name: 'Another' }, /Only administrators can change names/);
        await browser.send(profile, `${profile}/details`, { location: 'Leeds', name: user.username });
        const { name, location } = await stored(user.id);
        assert.deepEqual([name, location], [user.username, 'Leeds']);
        const root = await browserOf('root', rootPassword);
        assert.match(await root.page(profile), /name="name"/);
        await server.must(`PUT /users/${user.id}`, { json: { name: 'Cyd' } });
        assert.equal((await stored(user.id)).name, 'Cyd');
      });

      it('changes the status separately', async () => {
        const { browser } = await newcomer('dee');
        await browser.send(profile, profile, { message: 'Away', availability: 'busy' });
        assert.match(await browser.page(profile), /value="Away"[\s\S]*value="busy" selected/);
        assert.equal((await browser.fill(profile, profile, { emoji: 'no such emoji' })).status, 422);
      });
    });

    describe('email address', () => {
      it('changes once the new one is confirmed, and both learn of it', async () => {
        const { user, browser, email } = await newcomer('eve');
        const next = 'eve.new@example.com';
        await browser.send(profile, `${profile}/email`, { email: next, password });
        assert.equal((await stored(user.id)).email, email);
        assert.match(await browser.page(profile), /confirm the address[\s\S]*Keep the current address/);
        const link = confirmationIn(await emailTo(next, /Subject: Confirm your address/));
        assert.match((await new Browser(server).post(link, {})).text, /is confirmed/);
        assert.equal((await stored(user.id)).email, next);
        await emailTo(email, /Subject: The email address of your account was changed/);
        const events = await server.must('GET /audit_events?entity_type=User&per_page=100');
        const mine = events.filter((event: { entity_id: number }) => event.entity_id === user.id);
        assert.ok(JSON.stringify(mine).includes(next), JSON.stringify(mine));
        assert.doesNotMatch(await browser.page(profile), /Keep the current address/);
      });

      it('stays if the new one is given up', async () => {
        const { user, browser, email } = await newcomer('fay');
        await browser.send(profile, `${profile}/email`, { email: 'fay.new@example.com', password });
        const link = confirmationIn(await emailTo('fay.new@example.com', /Subject: Confirm your address/));
        await browser.send(profile, `${profile}/email/keep`);
        assert.equal((await new Browser(server).post(link, {})).status, 404);
        assert.equal((await stored(user.id)).email, email);
      });

      it('needs the password, and an address that is valid, free and allowed', async () => {
        const { user, browser, email } = await newcomer('gil');
        const to = `${profile}/email`;
        await refused(browser, to, { email: 'gil2@example.com' }, /current password is incorrect/);
        const page = await refused(browser, to, { email: 'gil2@example.com', password: 'x' }, /is incorrect/);
        assert.match(page, /value="gil2@example.com"/);
        assert.doesNotMatch(page, /name="password"[^>]*value/);
        await refused(browser, to, { email: 'nonsense', password }, /Email is invalid/);
        const other = await addUser(server, 'hal');
        await refused(browser, to, { email: `${other.username}@EXAMPLE.com`, password }, /already been taken/);
        await set({ domain_allowlist: ['example.org'] });
        await refused(browser, to, { email: 'gil2@example.com', password }, /not allowed/);
        await set({ domain_allowlist: [], maintenance_mode: true });
        for (const [path, fields] of [
          [to, { email: 'gil2@example.com', password }],
          [`${profile}/details`, { name: 'Gil' }],
          [`${profile}/email/keep`, {}],
          [`${account}/username`, { username: 'gil-of-old' }],
          [`${account}/delete`, { password }],
        ] as const) {
          await refused(browser, path, fields, /read-only/);
        }
        await set({ maintenance_mode: false });
        const row = await server.db.read
          .selectFrom('users')
          .select(['email', 'unconfirmed_email', 'name', 'username'])
          .where('id', '=', user.id)
          .executeTakeFirstOrThrow();
        assert.deepEqual(row, { email, unconfirmed_email: null, name: user.username, username: user.username });
      });
    });

    describe('username', () => {
      it('changes with the addresses of the projects, and the former ones redirect', async () => {
        const { user, browser } = await newcomer('ivy');
        await server.must('POST /projects', {
          json: { name: 'plant', initialize_with_readme: true },
          token: user.token,
        });
        await browser.send(account, `${account}/username`, { username: 'ivy-league' });
        assert.equal((await stored(user.id)).username, 'ivy-league');
        assert.equal((await browser.open('/ivy-league/plant')).status, 200);
        const former = await browser.open(`/${user.username}/plant`);
        assert.equal(former.headers.get('location'), '/ivy-league/plant');
        const events = await server.must('GET /audit_events?entity_type=User&per_page=100');
        const mine = events.filter((event: { entity_id: number }) => event.entity_id === user.id);
        assert.ok(JSON.stringify(mine).includes('ivy-league'), JSON.stringify(mine));
        await browserOf('ivy-league');
      });

      it('must be valid and free', async () => {
        const { user, browser } = await newcomer('jon');
        await server.must('POST /groups', { json: { name: 'Taken', path: 'taken' } });
        for (const [username, reason] of [
          ['root', /Username has already been taken/],
          ['Taken', /Username has already been taken/],
          ['', /Username/],
          ['-/x', /Username/],
          ['admin', /Username/],
          [hostile.element, /Username/],
        ] as const) {
          await refused(browser, `${account}/username`, { username }, reason);
        }
        assert.equal((await stored(user.id)).username, user.username);
      });
    });

    describe('deletion', () => {
      it('ends the sessions and tokens at once, and the account with its projects', async () => {
        const { user, browser } = await newcomer('kim');
        const elsewhere = await browserOf(user.username);
        const { token } = user;
        const project = await server.must('POST /projects', { json: { name: 'gone' }, token });
        const done = await browser.fill(account, `${account}/delete`, { password });
        assert.match(done.text, /Your account is deleted/);
        assert.doesNotMatch(browser.cookie ?? '', /session/);
        assert.doesNotMatch(done.text, /account\/delete/);
        assert.equal((await elsewhere.open(account)).status, 303);
        assert.equal((await server.api('GET /user', { token })).status, 401);
        await until(async () => (await server.api(`GET /users/${user.id}`)).status === 404);
        assert.equal((await server.api(`GET /projects/${project.id}`)).status, 404);
        const events = await server.must('GET /audit_events?entity_type=User&per_page=100');
        assert.ok(
          events.some(
            ({ entity_id, event_name }: { entity_id: number; event_name: string }) =>
              entity_id === user.id && event_name === 'user_destroyed',
          ),
        );
      });

      it('leaves contributions to the ghost user', async () => {
        const { user, browser } = await newcomer('lee');
        const project = await server.must('POST /projects', { json: { name: 'kept', visibility: 'public' } });
        const { token } = user;
        await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Mine' }, token });
        await browser.fill(account, `${account}/delete`, { password });
        await until(async () => (await server.api(`GET /users/${user.id}`)).status === 404);
        const [issue] = await server.must(`GET /projects/${project.id}/issues`);
        assert.match(issue.author.username, /^ghost/);
      });

      it('needs the password and the permission of the settings', async () => {
        const { user, browser } = await newcomer('mia');
        await refused(browser, `${account}/delete`, { password: 'wrong' }, /current password is incorrect/);
        await refused(browser, `${account}/delete`, { username: user.username }, /current password is incorrect/);
        assert.equal((await browser.post(`${account}/delete`, { password })).status, 422);
        const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
        const authenticity_token = tokenIn((await browser.open(account)).text);
        const answer = await browser.post(`${account}/delete`, { authenticity_token, password }, foreign);
        assert.equal(answer.status, 403);
        await set({ allow_account_deletion: false });
        assert.doesNotMatch(await browser.page(account), /profile\/account\/delete/);
        await refused(browser, `${account}/delete`, { password }, /Only administrators can delete accounts/);
        assert.equal((await stored(user.id)).state, 'active');
        await browser.page(account);
        await server.must(`DELETE /users/${user.id}`);
      });

      it('is refused to the only owner of a group', async () => {
        const { user, browser } = await newcomer('ned');
        const { token } = user;
        const group = await server.must('POST /groups', { json: { name: 'Ned', path: 'neds' }, token });
        await server.must('POST /projects', { json: { name: 'stays' }, token });
        await refused(browser, `${account}/delete`, { password }, /sole-owner of a group/);
        assert.equal((await stored(user.id)).state, 'active');
        const other = await addUser(server);
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: other.id, access_level: 50 } });
        assert.match((await browser.fill(account, `${account}/delete`, { password })).text, /is deleted/);
      });

      it('is refused to the last administrator, also when two leave at once', async () => {
        const root = await browserOf('root', rootPassword);
        const wanted = { password: rootPassword };
        await refused(root, `${account}/delete`, wanted, /only administrator/);
        // Whoever remains of two who leave at once is refused; root is blocked meanwhile, so that it does not count.
        const pair = [await newcomer('ora'), await newcomer('pam')];
        for (const { user } of pair) await server.must(`PUT /users/${user.id}`, { json: { admin: true } });
        const { id } = await server.must('GET /user');
        const state = (value: 'active' | 'blocked') =>
          server.db.write((trx) => trx.updateTable('users').set({ state: value }).where('id', '=', id).execute());
        await state('blocked');
        const forms = await Promise.all(
          pair.map(async ({ browser }) => ({ browser, token: tokenIn((await browser.open(account)).text) })),
        );
        const answers = await Promise.all(
          forms.map(({ browser, token }) => browser.post(`${account}/delete`, { authenticity_token: token, password })),
        );
        await state('active');
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
      });

      it('asks users without a password for their username', async () => {
        const { user, browser } = await newcomer('quin');
        await server.db.write((trx) =>
          trx.updateTable('users').set({ password_digest: null }).where('id', '=', user.id).execute(),
        );
        assert.doesNotMatch(await browser.page(account), /name="password"/);
        await refused(browser, `${account}/delete`, { username: 'root' }, /username is incorrect/);
        await refused(browser, `${account}/delete`, { password }, /username is incorrect/);
        const done = await browser.fill(account, `${account}/delete`, { username: user.username });
        assert.match(done.text, /Your account is deleted/);
      });
    });
  });
});
