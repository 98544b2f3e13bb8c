import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { composeEmail, withInstanceSettings } from '../../../src/integrations/mail/compose.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addStage, addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('e-mail header, footer and additional text', () => {
  const message = composeEmail({ to: 'a@b.c', subject: 's', says: ['Hello'], reason: 'because', id: 'i' });
  const settings = { email_additional_text: 'added', html_emails_enabled: true };
  const messages = { header_message: 'above <all>', footer_message: 'below', email_header_and_footer_enabled: true };

  it('are added to e-mails if enabled', () => {
    const sent = withInstanceSettings(message, settings, messages);
    assert.equal(sent.text, `above <all>\n\n${message.text}\n\nadded\n\nbelow`);
    assert.match(sent.html ?? '', /<body>\n<p[^>]*><small>above &lt;all&gt;<\/small><\/p>\n<p[^>]*>Hello/);
    assert.match(sent.html ?? '', /<small>added\n\nbelow<\/small><\/p>\n<\/body><\/html>\s*$/);
  });

  it('are left out otherwise', () => {
    const off = { ...messages, email_header_and_footer_enabled: false };
    const none = { email_additional_text: null, html_emails_enabled: true };
    assert.deepEqual(withInstanceSettings(message, none, off), message);
    const text = withInstanceSettings(message, { ...none, html_emails_enabled: false }, messages);
    assert.deepEqual([text.text, text.html], [`above <all>\n\n${message.text}\n\nbelow`, undefined]);
  });
});

forEachEngine((engine) => {
  describe('appearance API', () => {
    let server: TestServer;
    let user: { token: string };

    before(async () => {
      server = await startTestServer(engine, ['--root-password', rootPassword]);
      user = await addUser(server);
    });

    const set = (json: object) => server.must('PUT /application/appearance', { json });

    it('is restricted to administrators', async () => {
      for (const call of ['GET /application/appearance', 'PUT /application/appearance?title=x']) {
        assert.equal((await server.api(call, { token: null })).status, 401);
        assert.equal((await server.api(call, { token: user.token })).status, 403);
      }
      assert.equal((await server.must('GET /application/appearance')).title, '');
    });

    it('rejects invalid values and changes nothing', async () => {
      const before = await server.must('GET /application/appearance');
      const refused = await server.api('PUT /application/appearance', {
        json: { title: 'x'.repeat(256), message_font_color: 'red; }', header_message: 'kept?' },
      });
      assert.deepEqual(
        [refused.status, refused.body],
        [
          400,
          {
            message: {
              title: ['is too long (maximum is 255 characters)'],
              message_font_color: ['must be a valid color code'],
            },
          },
        ],
      );
      assert.equal((await server.api('PUT /application/appearance', { json: {} })).status, 400);
      assert.deepEqual(await server.must('GET /application/appearance'), before);
    });

    const upload = (files: Readonly<Record<string, readonly [string, string]>>, token?: string) => {
      const form = new FormData();
      for (const [name, [filename, content]] of Object.entries(files)) form.set(name, new Blob([content]), filename);
      return server.api('PUT /application/appearance', { body: form, ...(token !== undefined && { token }) });
    };
    const path = (name: string, file: string) => `/uploads/-/system/appearance/${name}/1/${file}`;

    it('shows images on the pages until they are removed', async () => {
      assert.equal((await upload({ logo: ['a.png', 'x'] }, user.token)).status, 403);
      const sent = await upload({
        logo: ['our logo.png', 'the logo'],
        header_logo: ['head.jpg', 'the head'],
        favicon: ['f.ico', 'the icon'],
        pwa_icon: ['app.png', 'the app'],
      });
      const { logo, header_logo, favicon, pwa_icon } = sent.body;
      const expected = [
        path('logo', 'our_logo.png'),
        path('header_logo', 'head.jpg'),
        path('favicon', 'f.ico'),
        path('pwa_icon', 'app.png'),
      ];
      assert.deepEqual([sent.status, logo, header_logo, favicon, pwa_icon], [200, ...expected]);
      const stranger = new Browser(server);
      const { text } = await stranger.open('/users/sign_in');
      for (const address of expected.slice(0, 3)) assert.ok(text.includes(`="${address}"`), address);
      const { icons } = JSON.parse((await stranger.open('/-/manifest.json')).text);
      assert.deepEqual(icons, [{ src: pwa_icon, type: 'image/png', sizes: 'any' }]);
      const file = await fetch(server.url + header_logo);
      assert.deepEqual([file.headers.get('content-type'), await file.text()], ['image/jpeg', 'the head']);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');

      const replaced = await upload({ logo: ['new.png', 'another'] });
      assert.equal(replaced.body.logo, path('logo', 'new.png'));
      assert.equal((await fetch(server.url + logo)).status, 404);
      const emptied = await server.must('PUT /application/appearance', { json: { logo: '', favicon: null } });
      assert.deepEqual([emptied.logo, emptied.favicon, emptied.header_logo], [null, null, header_logo]);
      assert.equal((await fetch(server.url + replaced.body.logo)).status, 404);
      const events = await server.must('GET /audit_events');
      assert.ok(events.some((event: { details: object }) => JSON.stringify(event.details).includes('our_logo.png')));
    });

    it('rejects invalid images and stores nothing', async () => {
      const before = await server.must('GET /application/appearance');
      const refused = await upload({
        header_logo: ['good.png', 'good'],
        logo: ['big.png', 'x'.repeat(1024 * 1024 + 1)],
        favicon: ['f.svg', '<svg onload="alert(1)"/>'],
        pwa_icon: ['a.jpg', 'x'],
      });
      const only = (formats: string) =>
        `file format is not supported. Please try one of the following supported formats: ${formats}`;
      assert.deepEqual(
        [refused.status, refused.body.message],
        [
          400,
          { logo: ['is too big (should be at most 1024 KiB)'], favicon: [only('png, ico')], pwa_icon: [only('png')] },
        ],
      );
      assert.deepEqual(await server.must('GET /application/appearance'), before);
      assert.equal((await server.api('PUT /application/appearance', { json: { logo: 'no file' } })).status, 400);
    });

    it('affects the pages and is audited', async () => {
      const { project } = await addStage(server, 'private');
      await set({ title: 'Forge & Co', description: 'Welcome, **friends**', new_project_guidelines: 'Think first' });
      const changed = await set({
        header_message: 'Moving <soon>',
        footer_message: 'Mind the gap',
        message_background_color: '#012345',
        member_guidelines: 'Ask Ann',
        pwa_short_name: 'Forge',
      });
      assert.deepEqual([changed.title, changed.logo], ['Forge & Co', null]);
      const stranger = new Browser(server);
      const { text } = await stranger.open('/users/sign_in');
      assert.match(text, /<title>Sign in · Forge &amp; Co<\/title>/);
      assert.match(text, /Welcome, <strong>friends<\/strong>/);
      assert.match(text, /<p class="instance-message">Moving &lt;soon&gt;<\/p>/);
      assert.match(text, /<p class="instance-message">Mind the gap<\/p>/);
      const style = await stranger.open('/-/appearance.css');
      assert.deepEqual(
        [style.headers.get('content-type'), /background: #012345/.test(style.text)],
        ['text/css; charset=utf-8', true],
      );
      const manifest = JSON.parse((await stranger.open('/-/manifest.json')).text);
      assert.deepEqual([manifest.name, manifest.short_name], ['Forge & Co', 'Forge']);

      const root = new Browser(server);
      await root.signIn('root', rootPassword);
      assert.match((await root.open('/projects/new')).text, /Think first/);
      assert.match((await root.open(`/${project.path_with_namespace}/-/project_members`)).text, /Ask Ann/);
      const events = await server.must('GET /audit_events');
      assert.ok(events.some((event: { details: object }) => JSON.stringify(event.details).includes('header_message')));
    });
  });
});
