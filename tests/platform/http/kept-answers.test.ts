import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { databasePlace } from '../../../src/open-services.ts';
import { type Database, openDatabase } from '../../../src/platform/database/database.ts';
import { JsonAnswer } from '../../../src/platform/http/json.ts';
import { KeptAnswers } from '../../../src/platform/http/kept-answers.ts';
import { addUser } from '../../support/cast.ts';
import { atEnd, forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('a kept answer', () => {
  let generation: object | undefined = {};
  const commit = () => {
    generation = {};
  };
  const kept = new KeptAnswers(() => generation);

  it('is given until the next commit', () => {
    kept.ask('a').keep(new JsonAnswer('one'));
    assert.equal(kept.ask('a').answer?.body, 'one');
    assert.equal(kept.ask('b').answer, undefined);
    commit();
    assert.equal(kept.ask('a').answer, undefined);
  });

  it('is not kept when something was committed while it was worked out', () => {
    const asked = kept.ask('a');
    commit();
    kept.ask('b').keep(new JsonAnswer('new'));
    asked.keep(new JsonAnswer('old'));
    assert.equal(kept.ask('a').answer, undefined);
    assert.equal(kept.ask('b').answer?.body, 'new');
  });

  it('ends by the clock too', () => {
    const brief = new KeptAnswers(() => generation, 0);
    brief.ask('a').keep(new JsonAnswer('one'));
    assert.equal(brief.ask('a').answer, undefined);
  });

  it('is not kept where nobody knows of commits, nor when it is long', () => {
    kept.ask('long').keep(new JsonAnswer('x'.repeat(1_000_000)));
    assert.equal(kept.ask('long').answer, undefined);
    generation = undefined;
    kept.ask('a').keep(new JsonAnswer('one'));
    assert.equal(kept.ask('a').answer, undefined);
  });

  it('gives way when there are too many', () => {
    commit();
    for (let number = 0; number < 1000; number += 1) kept.ask(`${number}`).keep(new JsonAnswer('x'.repeat(100_000)));
    assert.equal(kept.ask('0').answer, undefined);
    assert.ok(kept.ask('999').answer);
  });
});

forEachEngine((engine) => {
  let server: TestServer;
  let other: Database;
  before(async () => {
    server = await startTestServer(engine);
    other = await openDatabase(databasePlace(server.running.services.config));
    atEnd(() => other.close());
    await server.must('POST /projects', { json: { name: 'kept', visibility: 'private' } });
  });

  const description = async () => (await server.must('GET /projects/root%2Fkept')).description;

  it('an answer is never older than a commit, of this process or another', async () => {
    for (const text of ['one', 'two', 'three']) {
      await server.must('PUT /projects/root%2Fkept', { json: { description: `${text} here` } });
      assert.equal(await description(), `${text} here`);
      await other.write((trx) =>
        trx
          .updateTable('projects')
          .set({ description: `${text} there` })
          .execute(),
      );
      assert.equal(await description(), `${text} there`);
    }
  });

  it('an answer is for the one who asked, with the parameters they sent', async () => {
    const { token, username } = await addUser(server, 'guest');
    assert.equal((await server.api('GET /projects/root%2Fkept')).status, 200);
    assert.equal((await server.api('GET /projects/root%2Fkept', { token })).status, 404);
    assert.equal((await server.api('GET /projects/root%2Fkept', { token: null })).status, 404);
    const mine = await server.must('GET /user');
    const theirs = await server.must('GET /user', { token });
    assert.deepEqual([mine.username, theirs.username], ['root', username]);
    assert.equal((await server.must('GET /user', { headers: { sudo: username } })).username, username);
    assert.equal('statistics' in (await server.must('GET /projects/root%2Fkept?statistics=true')), true);
    assert.equal('statistics' in (await server.must('GET /projects/root%2Fkept')), false);
  });

  it('a kept page has its headers, and its tag answers 304', async () => {
    const first = await server.api('GET /users?per_page=1&sort=asc');
    const again = await server.api('GET /users?per_page=1&sort=asc');
    for (const name of ['link', 'x-total', 'x-next-page', 'etag', 'cache-control', 'content-type']) {
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    }
    const tag = again.headers.get('etag') ?? '';
    assert.equal(
      (await server.api('GET /users?per_page=1&sort=asc', { headers: { 'if-none-match': tag } })).status,
      304,
    );
  });
});
