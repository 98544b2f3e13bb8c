import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer } from '../support/server.ts';

forEachEngine((engine) => {
  it('a new snippet has the default visibility of the instance', async () => {
    const server = await startTestServer(engine, ['--root-password', rootPassword]);
    const browser = new Browser(server);
    await browser.signIn('root', rootPassword);
    const offered = async () => {
      const { text } = await browser.open('/-/snippets/new');
      return /<option value="(\w+)" selected>/.exec(text)?.[1];
    };
    assert.equal(await offered(), 'private');
    await server.must('PUT /application/settings', { json: { default_snippet_visibility: 'internal' } });
    assert.equal(await offered(), 'internal');
    const refused = await server.api('PUT /application/settings', { json: { default_snippet_visibility: 'secret' } });
    assert.equal(refused.status, 400);
    assert.equal(await offered(), 'internal');
  });
});
