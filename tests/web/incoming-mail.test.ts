import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer } from '../support/server.ts';

const page = '/-/user_settings/incoming_mail';
const issues = '/root/plans/-/issues';
const shown = /mailto:(in\+root-plans-\d+-[a-z2-7]+-issue@mail\.example\.com)/;

forEachEngine((engine) => {
  describe('incoming mail pages', () => {
    it('show users their own address, and rotate it', async () => {
      const server = await startTestServer(engine, ['--incoming-mail-address', 'in+%{key}@mail.example.com']);
      await server.must('POST /projects', { json: { name: 'plans', visibility: 'public' } });
      const other = await addUser(server, 'other');
      const [browser, second, stranger] = [new Browser(server), new Browser(server), new Browser(server)];
      await browser.signIn('root', rootPassword);
      await second.signIn(other.username, 'long enough 4 you');
      const [, own] = shown.exec((await browser.open(issues)).text) ?? [];
      const [, others] = shown.exec((await second.open(issues)).text) ?? [];
      assert.ok(own && others && own !== others);
      assert.doesNotMatch((await stranger.open(issues)).text, /mailto:/);
      const { incoming_email_token: token } = await server.must('GET /user/incoming_email_token');
      assert.ok((await browser.open(page)).text.includes(`<code class="key">${token}</code>`));
      assert.equal((await browser.fill(page, `${page}/reset`, {})).headers.get('location'), page);
      assert.equal((await browser.open(page)).text.includes(token), false);
      assert.equal((await browser.open(issues)).text.includes(own), false);
    });

    it('respond with 404 if incoming mail is disabled', async () => {
      const server = await startTestServer(engine);
      await server.must('POST /projects', { json: { name: 'plans', visibility: 'public' } });
      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      assert.equal((await browser.open(page)).status, 404);
      assert.doesNotMatch((await browser.open(issues)).text, /mailto:/);
      assert.doesNotMatch((await browser.open('/-/user_settings/profile')).text, /incoming_mail/);
    });
  });
});
