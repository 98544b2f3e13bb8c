import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { beginAt, comeBack, type Said, SamlProvider, throughSaml } from '../../support/saml-provider.ts';
import { appCode, codePage, longAgo, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'saml-providers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const account = '/-/profile/account';
const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('accounts of SAML users', () => {
    const provider = new SamlProvider();
    let server: TestServer;
    let visitors = 0;

    before(async () => {
      const one = { sso_url: provider.url, idp_entity_id: provider.entityId, certificate: provider.certificate };
      const path = join(folder, `${engine}.json`);
      const entries = [
        { ...one, provider: 'open', label: 'The <b>open</b> one', sign_up: true },
        { ...one, provider: 'closed' },
        { ...one, provider: 'linking', link_by_email: true },
        { ...one, provider: 'waiting', sign_up: true, approval: true },
        { ...one, provider: 'trusted', trust_second_factor: true },
        { ...one, provider: 'portal', sign_up: true, idp_initiated: true },
        { ...one, provider: 'numbered', sign_up: true, uid_attribute: 'employee' },
        ...(['assertion', 'response', 'both'] as const).map((signed) => ({ ...one, provider: signed, signed })),
        {
          ...one,
          provider: 'grouped',
          sign_up: true,
          required_groups: ['staff', 'guests'],
          admin_groups: ['rulers'],
          external_groups: ['guests'],
        },
      ];
      writeFileSync(path, JSON.stringify(entries));
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1', '--saml-providers', path]);
    });

    // Attempts are rate-limited by address.
    const visitor = () => new Browser(server, { 'x-forwarded-for': `198.51.100.${++visitors}` });
    const person = (name: string, attributes: Said['attributes'] = {}, more: Partial<Said> = {}) => {
      const own = { username: name, name: `Name of ${name}`, email: `${name}@provider.example` };
      provider.person = { nameId: `uid-${name}`, attributes: { ...own, ...attributes }, ...more };
    };
    const userOf = async (at: string, name: string) =>
      (await server.must(`GET /users?provider=${at}&extern_uid=uid-${name}`))[0];
    const isIn = async (browser: Browser) => (await browser.open('/dashboard/todos')).status === 200;
    const enter = async (at: string, browser = visitor()) => {
      const answer = await throughSaml(browser, provider, at);
      assert.equal(answer.status, 303, answer.text);
      assert.ok(await isIn(browser));
      return browser;
    };
    const staysOut = async (at: string, reason: RegExp, lies: Partial<Said> = {}) => {
      const browser = visitor();
      const answer = await throughSaml(browser, provider, at, { lies });
      assert.equal(answer.status, 422);
      assert.match(answer.text, reason);
      assert.equal(await isIn(browser), false);
    };
    const connect = (browser: Browser, at: string) =>
      throughSaml(browser, provider, at, { page: account, start: `${account}/${at}/connect` });

    it('sends a request that names this server and its metadata', async () => {
      const page = await visitor().page('/users/sign_in?redirect=/explore');
      assert.match(page, /action="\/users\/auth\/open"/);
      assert.match(page, /The &lt;b&gt;open/);
      const request = await beginAt(visitor(), 'open');
      assert.equal(request.issuer, `${server.url}/users/auth/open/metadata`);
      assert.equal(request.consumer, `${server.url}/users/auth/open/callback`);
      assert.match(request.xml, /NameIDPolicy[^>]*nameid-format:persistent/);
      const metadata = await visitor().open('/users/auth/open/metadata');
      assert.match(metadata.headers.get('content-type') ?? '', /^application\/samlmetadata\+xml/);
      assert.ok(metadata.text.includes(`entityID="${request.issuer}"`), metadata.text);
      assert.ok(metadata.text.includes(`Location="${request.consumer}"`), metadata.text);
      const wantsSigned = async (name: string) =>
        (await visitor().open(`/users/auth/${name}/metadata`)).text.includes('WantAssertionsSigned="true"');
      assert.deepEqual([await wantsSigned('assertion'), await wantsSigned('response')], [true, false]);
      assert.equal((await visitor().open('/users/auth/unknown/metadata')).status, 404);
    });

    it('creates an account at the first sign-in, finds it at the next, and redirects back', async () => {
      person('ada');
      for (const target of ['/dashboard/todos', '/explore?x=1']) {
        const browser = visitor();
        const answer = await throughSaml(browser, provider, 'open', { redirect: target });
        assert.equal(answer.headers.get('location'), target, answer.text);
        assert.ok(await isIn(browser));
      }
      const user = await userOf('open', 'ada');
      assert.deepEqual([user.username, user.name, user.email], ['ada', 'Name of ada', 'ada@provider.example']);
      assert.notEqual(user.confirmed_at, null);
      assert.deepEqual(user.identities, [{ provider: 'open', extern_uid: 'uid-ada', saml_provider_id: null }]);
    });

    it('reads names and addresses from the attributes of common providers', async () => {
      const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
      provider.person = {
        nameId: 'uid-entra',
        attributes: {
          [`${claims}/emailaddress`]: 'Entra@Example.com',
          [`${claims}/givenname`]: 'Grace',
          [`${claims}/surname`]: "O'Hopper &amp; Co",
        },
      };
      await enter('open');
      const user = await userOf('open', 'entra');
      assert.deepEqual([user.username, user.name, user.email], ['entra', "Grace O'Hopper & Co", 'entra@example.com']);
    });

    it('requires the configured signatures', async () => {
      const user = await addUser(server, 'signed');
      for (const at of ['assertion', 'response', 'both']) {
        await server.must(`PUT /users/${user.id}`, { json: { provider: at, extern_uid: 'uid-signed' } });
      }
      person('signed');
      for (const [at, signs, accepted] of [
        ['assertion', 'assertion', true],
        ['assertion', 'response', false],
        ['assertion', 'both', true],
        ['response', 'assertion', false],
        ['response', 'response', true],
        ['response', 'both', true],
        ['both', 'assertion', false],
        ['both', 'response', false],
        ['both', 'both', true],
        ['open', 'nothing', false],
      ] as const) {
        const browser = visitor();
        const answer = await throughSaml(browser, provider, at, { lies: { signs } });
        assert.equal(answer.status, accepted ? 303 : 422, `${at} ${signs}`);
        assert.equal(await isIn(browser), accepted);
      }
      person('everything');
      for (const signs of ['assertion', 'response', 'both'] as const) {
        assert.equal((await throughSaml(visitor(), provider, 'open', { lies: { signs } })).status, 303);
      }
    });

    it('identifies users by an attribute if configured', async () => {
      person('moving', { employee: 'uid-4711' }, { nameId: 'first' });
      await enter('numbered');
      person('moving', { employee: 'uid-4711' }, { nameId: 'second' });
      await enter('numbered');
      assert.equal((await userOf('numbered', '4711')).username, 'moving');
      for (const employee of [[], ['uid-4711', 'uid-1'], ' ']) {
        person('moving', { employee });
        await staysOut('numbered', /did not identify you/);
      }
    });

    it('connects existing accounts only after sign-in, or by address if configured', async () => {
      const owner = await addUser(server, 'owner');
      person('owner', { email: `${owner.username}@example.com` });
      await staysOut('open', /already exists/);
      await staysOut('closed', /already exists/);
      const browser = visitor();
      await browser.signIn(owner.username, password);
      assert.equal((await connect(browser, 'closed')).headers.get('location'), account);
      assert.match(await browser.page(account), /Identity: uid-owner/);
      await enter('closed');
      await enter('linking');
      assert.equal((await userOf('linking', 'owner')).id, owner.id);
      person('another');
      assert.match((await connect(browser, 'closed')).text, /already connected to another identity at closed/);
      person('owner');
      assert.equal(await browser.send(account, `${account}/closed/disconnect`), account);
      await staysOut('closed', /No account is connected/);
    });

    it('connects an identity only to the account that started it', async () => {
      const [one, other] = [await addUser(server), await addUser(server)];
      const browser = visitor();
      await browser.signIn(one.username, password);
      const request = await beginAt(browser, 'closed', { page: account, start: `${account}/closed/connect` });
      await browser.signIn(other.username, password);
      person('swapped');
      const answer = await comeBack(browser, 'closed', provider.xml(request));
      assert.match(answer.text, /no longer signed in as the user who started this/);
      assert.equal(await userOf('closed', 'swapped'), undefined);
    });

    it('lets groups decide who may enter, rules and is external', async () => {
      for (const [groups, admin, external] of [
        ['staff', false, false],
        [['staff', 'rulers'], true, false],
        [['guests', 'others'], false, true],
        [['staff'], false, false],
      ] as const) {
        person('grouped', { groups });
        await enter('grouped');
        const user = await userOf('grouped', 'grouped');
        assert.deepEqual([user.is_admin, user.external], [admin, external]);
      }
      for (const groups of [[], ['others'], ['Staff']]) {
        person('grouped', { groups });
        await staysOut('grouped', /You are not in a group/);
      }
    });

    it('refuses blocked users and those who wait for approval', async () => {
      person('waiting');
      await staysOut('waiting', /pending approval/);
      const { id } = await userOf('waiting', 'waiting');
      await server.must(`POST /users/${id}/approve`);
      await enter('waiting');
      await server.must(`POST /users/${id}/block`);
      await staysOut('waiting', /blocked/);
    });

    it('refuses users without an address, and disabled providers', async () => {
      person('nameless', { email: [] });
      await staysOut('open', /did not provide your e-mail address/);
      const put = (sources: string[]) =>
        server.must('PUT /application/settings', { json: { disabled_oauth_sign_in_sources: sources } });
      person('late');
      const browser = visitor();
      const request = await beginAt(browser, 'open');
      await put(['open']);
      assert.match((await comeBack(browser, 'open', provider.xml(request))).text, /provider is not available/);
      assert.match((await visitor().post('/users/auth/open', {})).text, /provider is not available/);
      await put([]);
    });

    it('asks for the second factor unless the provider is trusted with it', async () => {
      const careful = await addUser(server, 'careful');
      const browser = visitor();
      await browser.signIn(careful.username, password);
      const { key } = await switchOn(browser, password);
      person('careful');
      for (const at of ['closed', 'trusted']) assert.equal((await connect(browser, at)).status, 303);
      const again = visitor();
      const halfway = await throughSaml(again, provider, 'closed', { redirect: '/explore' });
      assert.equal(halfway.headers.get('location'), `${codePage}?redirect=%2Fexplore`);
      assert.equal(await isIn(again), false);
      await longAgo(server, careful.id);
      assert.equal((await again.post(codePage, { 'user[otp_attempt]': appCode(key) })).status, 303);
      assert.ok(await isIn(again));
      await enter('trusted');
    });

    it('accepts sign-ins that start at the provider only if configured', async () => {
      person('portal');
      const unasked = (at: string) => ({
        id: '',
        issuer: `${server.url}/users/auth/${at}/metadata`,
        consumer: `${server.url}/users/auth/${at}/callback`,
      });
      const sent = (at: string, relayState: string) => {
        const browser = visitor();
        const xml = provider.xml(unasked(at), { inResponseTo: undefined });
        return comeBack(browser, at, xml, relayState).then(async (answer) => ({ answer, isIn: await isIn(browser) }));
      };
      const refused = await sent('open', '');
      assert.deepEqual([refused.answer.status, refused.isIn], [422, false]);
      for (const [relayState, target] of [
        ['/explore', '/explore'],
        ['https://evil.example.com/', '/'],
        ['//evil.example.com', '/'],
        ['', '/'],
      ] as const) {
        const entered = await sent('portal', relayState);
        assert.deepEqual([entered.answer.headers.get('location'), entered.isIn], [target, true]);
      }
      // Answers to requests are still accepted, and only in the browser that made them.
      await enter('portal');
      const request = await beginAt(visitor(), 'portal');
      assert.equal((await comeBack(visitor(), 'portal', provider.xml(request))).status, 422);
    });

    it('accepts a hundred thousand bytes of groups', async () => {
      const groups = Array.from({ length: 1000 }, (_, at) => `${at}-${'x'.repeat(100)}`);
      person('crowded', { groups });
      await enter('open');
    });

    it('does not accept an assertion for another provider of this server', async () => {
      person('crossing');
      const browser = visitor();
      const request = await beginAt(browser, 'waiting');
      const answer = await comeBack(browser, 'open', provider.xml(request));
      assert.equal(answer.status, 422);
    });
  });
});
