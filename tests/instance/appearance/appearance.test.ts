import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { asAdministratorsWish, writeLetter } from '../../../src/integrations/mail/letter.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addStage, addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('letters of an instance that has something to say', () => {
  const letter = writeLetter({ to: 'a@b.c', subject: 's', says: ['Hello'], reason: 'because', id: 'i' });
  const settings = { email_additional_text: 'added', html_emails_enabled: true };
  const messages = { header_message: 'above <all>', footer_message: 'below', email_header_and_footer_enabled: true };

  it('begin and end with its messages where they are meant for letters', () => {
    const sent = asAdministratorsWish(letter, settings, messages);
    assert.equal(sent.text, `above <all>\n\n${letter.text}\n\nadded\n\nbelow`);
    assert.match(sent.html ?? '', /<body>\n<p[^>]*><small>above &lt;all&gt;<\/small><\/p>\n<p[^>]*>Hello/);
    assert.match(sent.html ?? '', /<small>added\n\nbelow<\/small><\/p>\n<\/body><\/html>\s*$/);
  });

  it('are as they were otherwise', () => {
    const off = { ...messages, email_header_and_footer_enabled: false };
    const none = { email_additional_text: null, html_emails_enabled: true };
    assert.deepEqual(asAdministratorsWish(letter, none, off), letter);
    const text = asAdministratorsWish(letter, { ...none, html_emails_enabled: false }, messages);
    assert.deepEqual([text.text, text.html], [`above <all>\n\n${letter.text}\n\nbelow`, undefined]);
  });
});

forEachEngine((engine) => {
  describe('the appearance of the instance', () => {
    let server: TestServer;
    let user: { token: string };

    before(async () => {
      server = await startTestServer(engine, ['--root-password', rootPassword]);
      user = await addUser(server);
    });

    const set = (json: object) => server.must('PUT /application/appearance', { json });

    it('is for administrators to read and change', async () => {
      for (const call of ['GET /application/appearance', 'PUT /application/appearance?title=x']) {
        assert.equal((await server.api(call, { token: null })).status, 401);
        assert.equal((await server.api(call, { token: user.token })).status, 403);
      }
      assert.equal((await server.must('GET /application/appearance')).title, '');
    });

    it('refuses what makes no sense, and keeps nothing of it', async () => {
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

    it('is seen on the pages, and on record', async () => {
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
