import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { startReceiver } from '../../../integrations/webhooks/receiver.ts';
import { atOnce } from '../../../support/at-once.ts';
import { Browser, rootPassword } from '../../../support/browser.ts';
import { addUser } from '../../../support/cast.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

const password = 'quite a long phrase';
const defaults = {
  signup_enabled: true,
  require_admin_approval_after_user_signup: false,
  new_user_signups_cap: null,
  email_confirmation_setting: 'off',
  domain_allowlist: [],
  domain_denylist_enabled: false,
  email_restrictions_enabled: false,
  after_sign_up_text: null,
  password_number_required: false,
  password_authentication_enabled_for_web: true,
};

forEachEngine((engine) => {
  describe('sign-up', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1', '--allow-local-egress']);
    });
    beforeEach(() => set({}));

    const set = (json: object) => server.must('PUT /application/settings', { json: { ...defaults, ...json } });
    let callers = 0;
    const from = () => ({ 'x-forwarded-for': `198.51.100.${++callers}` });
    const signUp = (username: string, more: Record<string, string> = {}, headers: Record<string, string> = from()) => {
      const fields = { name: 'Somebody', username, email: `${username}@example.com`, password, ...more };
      const pairs = Object.entries(fields).map(([name, value]) => [`user[${name}]`, value]);
      return new Browser(server).post('/users/sign_up', Object.fromEntries(pairs), headers);
    };
    const signIn = (login: string) =>
      new Browser(server).post('/users/sign_in', { 'user[login]': login, 'user[password]': password }, from());
    const found = async (username: string) => (await server.must(`GET /users?username=${username}`))[0];
    const account = async (username: string) => server.must(`GET /users/${(await found(username)).id}`);
    const emailsTo = async (address: string, subject: RegExp) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return messages.filter((message) => message.includes(`To: ${address}`) && subject.test(message));
    };
    const message = async (address: string, subject: RegExp) => {
      await until(async () => (await emailsTo(address, subject)).length > 0);
      return (await emailsTo(address, subject))[0]?.replace(/=\r?\n/g, '').replace(/=3D/g, '=') ?? '';
    };
    const created = (answer: { status: number; headers: Headers }) =>
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/users/almost_there']);
    /** Follows a confirmation link. */
    const confirm = async (address: string) => {
      const [, link = ''] =
        /https?:\/\/[^\s/]+(\/-\/users\/confirmation\?\S+)/.exec(await message(address, /Confirm/)) ?? [];
      const browser = new Browser(server);
      assert.equal((await browser.open(link)).status, 200);
      const confirmation_token = new URL(link, server.url).searchParams.get('confirmation_token') ?? '';
      return browser.post(link, { confirmation_token });
    };

    it('is rejected unless enabled', async () => {
      for (const off of [{ signup_enabled: false }, { password_authentication_enabled_for_web: false }]) {
        await set(off);
        const stranger = new Browser(server);
        assert.doesNotMatch((await stranger.open('/users/sign_in')).text, /sign_up/);
        for (const path of ['/users/sign_up', '/users/almost_there']) {
          assert.equal((await stranger.open(path)).headers.get('location'), '/users/sign_in');
        }
        assert.equal((await signUp('early')).headers.get('location'), '/users/sign_in');
        assert.equal(await found('early'), undefined);
      }
      await set({});
      assert.match((await new Browser(server).open('/users/sign_in')).text, /href="\/users\/sign_up"/);
      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      assert.equal((await browser.open('/users/sign_up')).headers.get('location'), '/');
    });

    it('creates an account with the configured defaults', async () => {
      const wanted = { user_default_external: true, user_defaults_to_private_profile: true, default_projects_limit: 7 };
      const receiver = await startReceiver();
      const hook = await server.must('POST /hooks', { json: { url: `${receiver.url}/system` } });
      await set({ ...wanted, can_create_group: false, after_sign_up_text: 'Welcome to the **house**' });
      created(await signUp('first', { name: '  First <b>Person</b> ', email: ' first@example.com ' }));
      const page = await new Browser(server).page('/users/almost_there');
      assert.match(page, /<strong>house<\/strong>/);
      assert.doesNotMatch(page, /administrator/);
      const user = await account('first');
      assert.deepEqual(
        [user.name, user.email, user.state, user.external, user.private_profile, user.projects_limit],
        ['First Person', 'first@example.com', 'active', true, true, 7],
      );
      assert.deepEqual([user.can_create_group, user.is_admin, user.confirmed_at === null], [false, false, false]);
      assert.equal((await signIn('first')).status, 303);
      await message('first@example.com', /Subject: Your account was made/);
      const events = await server.must(`GET /audit_events?entity_type=User&entity_id=${user.id}`);
      const recorded = events.map(({ event_name, author_id }: Record<string, unknown>) => [event_name, author_id]);
      assert.ok(JSON.stringify(recorded).includes(`["registration_created",${user.id}]`), JSON.stringify(recorded));
      const { body } = await receiver.waitFor('/system', (one) => one.event_name === 'user_create');
      assert.equal(body.username, 'first');
      await server.must(`DELETE /hooks/${hook.id}`);
      const back = { user_default_external: false, user_defaults_to_private_profile: false };
      await set({ ...back, default_projects_limit: 100_000, can_create_group: true });
    });

    it('reports errors and keeps the form values except the password', async () => {
      await set({ password_number_required: true });
      await server.must('POST /groups', { json: { name: 'Secret', path: 'secret-group', visibility: 'private' } });
      const cases = [
        [{ name: ' ' }, /Name can&#39;t be blank/],
        [{ name: 'x'.repeat(256) }, /Name is too long \(maximum is 255 characters\)/],
        [{ name: 'a\0b' }, /Name is invalid/],
        [{ username: 'ROOT' }, /Username has already been taken/],
        [{ username: 'secret-group' }, /Username has already been taken/],
        [{ username: 'users' }, /Username /],
        [{ username: 'a b' }, /Username /],
        [{ username: 'a\0b' }, /Username /],
        [{ username: '' }, /Username /],
        [{ email: 'nobody' }, /Email is invalid/],
        [{ email: 'a\0b@example.com' }, /Email is invalid/],
        [{ email: `${'x'.repeat(250)}@example.com` }, /Email is invalid/],
        [{ password: 'short' }, /Password is too short \(minimum is 8 characters\), must contain at least one number/],
        [{ password: '' }, /Password can&#39;t be blank/],
        [{ password: 'x1'.repeat(400) }, /Password is too long/],
        [{ username: 'x'.repeat(1_000_000) }, /Username /],
      ] as const;
      for (const [wrong, said] of cases) {
        const answer = await signUp('careful', { password: 'phrase number 1', ...wrong });
        assert.equal(answer.status, 422, JSON.stringify(wrong).slice(0, 80));
        assert.match(answer.text, said);
        assert.doesNotMatch(answer.text, /phrase number 1/);
      }
      const answer = await signUp('careful', { name: '"><script>alert(1)</script>', email: 'x' });
      assert.match(answer.text, /value="&quot;&gt;&lt;script&gt;/);
      assert.match(answer.text, /value="careful"/);
      assert.match(answer.text, /a digit/);
      assert.equal(await found('careful'), undefined);
    });

    it('restricts e-mail addresses', async () => {
      await set({ domain_allowlist: ['*.house.example'], email_restrictions_enabled: true, email_restrictions: '\\+' });
      for (const email of ['a@example.com', 'a+b@in.house.example']) {
        const answer = await signUp('outsider', { email });
        assert.equal(answer.status, 422);
        assert.match(answer.text, /Email is not allowed for sign-up/);
      }
      created(await signUp('insider', { email: 'insider@in.house.example' }));
      for (const wrong of [
        { email_restrictions: '(' },
        { domain_denylist: ['a@b'] },
        { email_confirmation_setting: 'x' },
      ]) {
        assert.equal((await server.api('PUT /application/settings', { json: wrong })).status, 400);
      }
    });

    it('does not reveal existing addresses but notifies their owner', async () => {
      const known = await addUser(server, 'owner');
      const email = `${known.username}@example.com`;
      for (const written of [email, email.toUpperCase()]) created(await signUp('another', { email: written }));
      assert.equal(await found('another'), undefined);
      assert.match(await message(email, /Subject: You have an account already/), new RegExp(`@${known.username}`));
      for (let more = 0; more < 6; more++) created(await signUp('another', { email }));
      created(await signUp('after-all', {}));
      await message('after-all@example.com', /made/);
      await until(async () => (await emailsTo(email, /You have an account already/)).length >= 5);
      assert.equal((await emailsTo(email, /You have an account already/)).length, 5);
    });

    it('requires approval by an administrator, who is notified', async () => {
      await set({ require_admin_approval_after_user_signup: true });
      for (const name of ['hopeful', 'hopeless']) created(await signUp(name));
      assert.match(await new Browser(server).page('/users/almost_there'), /An administrator has to approve/);
      const { id } = await found('hopeful');
      const root = await server.must('GET /user');
      assert.match(await message(root.email, /Subject: @hopeful is waiting/), new RegExp(`/admin/users/${id}`));
      const refused = await signIn('hopeful');
      assert.equal(refused.status, 422);
      assert.match(refused.text, /pending approval/);
      const admin = new Browser(server);
      await admin.signIn('root', rootPassword);
      const page = await admin.page(`/admin/users/${id}`);
      assert.match(page, /Approve/);
      assert.match(page, /Turn away/);
      const act = (user: number, action: string) =>
        admin.fill(`/admin/users/${user}`, `/admin/users/${user}/act`, { action });
      assert.equal((await act(id, 'approve')).status, 303);
      await message('hopeful@example.com', /Subject: Your account was approved/);
      assert.equal((await signIn('hopeful')).status, 303);
      assert.equal((await act((await found('hopeless')).id, 'reject')).status, 303);
      await message('hopeless@example.com', /Subject: Your account was not approved/);
      assert.equal(await found('hopeless'), undefined);
    });

    it('requires approval above the user cap, also concurrently', async () => {
      const { count } = await server.db.read
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('state', '=', 'active')
        .where('kind', '=', 'human')
        .executeTakeFirstOrThrow();
      await set({ new_user_signups_cap: Number(count) + 1 });
      const answers = await atOnce(4, (index) => signUp(`crowd-${index}`));
      for (const answer of answers) created(answer);
      const states = [];
      for (let index = 0; index < 4; index++) states.push((await account(`crowd-${index}`)).state);
      assert.deepEqual(states.sort(), ['active', ...Array(3).fill('blocked_pending_approval')]);
    });

    it('requires confirmation before the sign-in if configured', async () => {
      await set({ email_confirmation_setting: 'hard' });
      const group = await server.must('POST /groups', { json: { name: 'Guests', path: 'guests' } });
      await server.must(`POST /groups/${group.id}/invitations`, {
        json: { email: 'Proven@example.com', access_level: 30 },
      });
      assert.match(
        await message('proven@example.com', /invited/),
        /users\/sign_up\?user%5Bemail%5D=proven%40example\.com/,
      );
      assert.match((await new Browser(server).open('/users/sign_up?user[email]=p@x.y')).text, /value="p@x\.y"/);
      created(await signUp('proven'));
      assert.match(await new Browser(server).page('/users/almost_there'), /until then you cannot sign in/);
      const members = async () =>
        (await server.must(`GET /groups/${group.id}/members`)).map((one: { username: string }) => one.username);
      const refused = await signIn('proven');
      assert.equal(refused.status, 422);
      assert.match(refused.text, /Confirm your address first/);
      const basic = `Basic ${Buffer.from(`proven:${password}`).toString('base64')}`;
      const git = () =>
        fetch(`${server.url}/guests/none.git/info/refs?service=git-upload-pack`, { headers: { authorization: basic } });
      assert.equal((await git()).status, 401);
      assert.deepEqual(await members(), ['root']);
      assert.equal((await confirm('proven@example.com')).status, 200);
      assert.equal((await signIn('proven')).status, 303);
      assert.equal((await git()).status, 404);
      assert.deepEqual(await members(), ['root', 'proven']);
    });

    it('allows three days for a soft confirmation', async () => {
      await set({ email_confirmation_setting: 'soft' });
      created(await signUp('later'));
      assert.equal((await signIn('later')).status, 303);
      await server.running.services.db.write((trx) =>
        trx
          .updateTable('users')
          .set({ created_at: Date.now() - 4 * 86_400_000 })
          .where('username', '=', 'later')
          .execute(),
      );
      assert.equal((await signIn('later')).status, 422);
      assert.equal((await confirm('later@example.com')).status, 200);
      assert.equal((await signIn('later')).status, 303);
    });

    it('assigns a username or address once when requested concurrently', async () => {
      for (let round = 0; round < 3; round++) {
        const name = `wanted-${round}`;
        const answers = await atOnce(4, (index) => signUp(name, { email: `${name}-${index}@example.com` }));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422, 422, 422]);
        const same = await atOnce(4, (index) => signUp(`${name}-${index}`, { email: `one-${round}@example.com` }));
        for (const answer of same) created(answer);
        const all = await server.must(`GET /users?search=one-${round}@example.com`);
        assert.equal(all.length, 1);
      }
    });

    it('rejects bots, forged forms and too many attempts from one address', async () => {
      created(await signUp('robot', { website: 'https://example.com' }));
      assert.equal(await found('robot'), undefined);
      assert.equal((await signUp('foreign', {}, { ...from(), origin: 'https://evil.example' })).status, 403);
      const one = from();
      for (let tries = 0; tries < 20; tries++) assert.equal((await signUp('many', { email: 'x' }, one)).status, 422);
      const last = await signUp('many', {}, one);
      assert.equal(last.status, 429);
      assert.match(last.text, /Too many attempts/);
      assert.equal(await found('many'), undefined);
    });
  });
});
