import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import Fastify from 'fastify';
import { sql } from 'kysely';
import { routeWebUrl } from '../../src/web/frame/addresses.ts';
import { Refusal } from '../../src/web/frame/api.ts';
import { servePages } from '../../src/web/frame/serve.ts';
import type { Page } from '../../src/web/frame/visit.ts';
import { pages } from '../../src/web/pages.ts';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { addScene, type Scene } from './browser/scene.ts';

const crumbsIn = (text: string) => {
  const [, trail = ''] = /<nav class="crumbs"[^>]*><ol>(.*?)<\/ol>/s.exec(text) ?? [];
  return [...trail.matchAll(/<a href="([^"]*)"( aria-current="page")?>([^<]*)<\/a>/g)].map(
    ([, href = '', isHere, name = '']) => ({ href, isHere: isHere !== undefined, name }),
  );
};

// The pages are the same on both engines, which are tested elsewhere.
describe('all pages', () => {
  let server: TestServer;
  let scene: Scene;
  let root: Browser;

  before(async () => {
    server = await startTestServer('sqlite');
    scene = await addScene(server);
    root = new Browser(server);
    await root.signIn('root', rootPassword);
  });

  /** Digest of each table, except for timestamps that the server itself maintains. */
  const stored = async () => {
    const { db } = server;
    const found = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db.read);
    const names = found.rows
      .map(({ name }) => name)
      .filter((name) => !/^sqlite_|_fts|^derived_|^(recurring_)?jobs$/.test(name));
    assert.ok(names.length > 150, `${names.length}`);
    const digests = names.map(async (name) => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db.read);
      const settled = rows.map((row) => JSON.stringify(row, (key, value) => (/^last_/.test(key) ? null : value)));
      return [name, hash('sha256', settled.join('\n'))];
    });
    return Object.fromEntries(await Promise.all(digests));
  };

  it('have breadcrumbs', async () => {
    const above = new Set<string>();
    for (const [name, path] of Object.entries(scene.pages)) {
      if (path === '/') continue;
      const crumbs = crumbsIn((await root.open(path)).text);
      assert.ok(crumbs.length >= 1, `${name} has no crumbs`);
      assert.deepEqual(
        crumbs.filter(({ isHere }) => isHere),
        crumbs.slice(-1),
        name,
      );
      for (const { href } of crumbs.slice(0, -1)) above.add(href);
    }
    for (const href of above) assert.equal((await root.open(href)).status, 200, href);
  });

  it('have breadcrumbs in the order of groups, project, section and item', async () => {
    const trail = async (path: string) => crumbsIn((await root.open(path)).text).map(({ name }) => name);
    const expected: Readonly<Record<string, readonly string[]>> = {
      '/tea': ['tea'],
      '/tea/labs': ['tea', 'labs'],
      '/groups/tea/-/issues': ['tea', 'Issues'],
      '/groups/tea/-/milestones': ['tea', 'Milestones'],
      '/groups/tea/-/packages': ['tea', 'Packages'],
      '/groups/tea/-/container_registries': ['tea', 'Images'],
      '/groups/tea/-/wikis/pages': ['tea', 'Wiki', 'All pages'],
      '/groups/tea/-/wikis': ['tea', 'Wiki'],
      '/tea/kettle': ['tea', 'Kettle'],
      '/tea/kettle/-/wikis/pages': ['tea', 'Kettle', 'Wiki', 'All pages'],
      '/tea/kettle/-/tree/main': ['tea', 'Kettle', 'Files'],
      '/tea/kettle/-/blob/main/src/kettle.js': ['tea', 'Kettle', 'Files', 'src/kettle.js'],
      '/tea/kettle/-/commits/main/src/kettle.js': ['tea', 'Kettle', 'Commits', 'src/kettle.js'],
      '/tea/kettle/-/branches': ['tea', 'Kettle', 'Branches'],
      '/tea/kettle/-/issues/1': ['tea', 'Kettle', 'Issues', 'The bell rings twice for oolong'],
      '/tea/kettle/-/milestones/1': ['tea', 'Kettle', 'Milestones', '1.5'],
      '/tea/kettle/-/settings/branches': ['tea', 'Kettle', 'Settings', 'Protected branches'],
      '/-/user_settings/ssh_keys': ['Your settings', 'SSH keys'],
      '/admin/users': ['Administration', 'Users'],
      '/explore': ['Home', 'Explore projects'],
    };
    for (const [path, names] of Object.entries(expected)) assert.deepEqual(await trail(path), names, path);
    const job = await trail(scene.pages.job ?? '');
    assert.match(job.join(' / '), /^tea \/ Kettle \/ Pipelines \/ Pipeline \d+ \/ \w+$/);
  });

  it('of groups have the views of their tab', async () => {
    const bars = async (path: string) => {
      const { text } = await root.open(path);
      const inBar = (name: string) =>
        new RegExp(`<nav [^>]*aria-label="${name}">([\\s\\S]*?)</nav>`).exec(text)?.[1] ?? '';
      const current = (bar: string) => /<a [^>]*aria-current="page">([^<]*)</.exec(bar)?.[1];
      return ['Sections', 'Views'].map((name) => current(inBar(name)));
    };
    const expected: Readonly<Record<string, readonly (string | undefined)[]>> = {
      '/tea': ['Group', undefined],
      '/groups/tea/-/issues': ['Issues', 'List'],
      '/groups/tea/-/boards': ['Issues', 'Boards'],
      '/groups/tea/-/labels': ['Issues', 'Labels'],
      '/groups/tea/-/milestones': ['Issues', 'Milestones'],
      '/groups/tea/-/milestones/new': ['Issues', undefined],
      '/groups/tea/-/iterations': ['Issues', 'Iterations'],
      '/groups/tea/-/epics': ['Epics', undefined],
      '/groups/tea/-/packages': ['Packages', 'Packages'],
      '/groups/tea/-/container_registries': ['Packages', 'Images'],
      '/groups/tea/-/edit': ['Settings', undefined],
    };
    for (const [path, names] of Object.entries(expected)) assert.deepEqual(await bars(path), names, path);
  });

  it('show relative times with the exact time as tooltip', async () => {
    let seen = 0;
    for (const path of Object.values(scene.pages)) {
      const { text } = await root.open(path);
      for (const [tag, datetime = '', title = '', words = ''] of text.matchAll(
        /<time datetime="([^"]*)" title="([^"]*)">([^<]*)<\/time>/g,
      )) {
        seen += 1;
        assert.equal(new Date(datetime).toISOString(), datetime, tag);
        assert.equal(title, `${datetime.replace('T', ' ').slice(0, 19)} UTC`);
        assert.match(words, /^(just now|(in )?\d+ (minute|hour|day|month|year)s?( ago)?)$/);
      }
      assert.equal(
        text.match(/<time\b/g)?.length ?? 0,
        text.match(/<time datetime="[^"]+" title="/g)?.length ?? 0,
        path,
      );
    }
    assert.ok(seen > 50, `${seen} moments`);
  });

  it('show the request ID on every error', async () => {
    const app = Fastify({
      genReqId: () => 'number-of-the-request',
      rewriteUrl: ({ url = '' }) => routeWebUrl(url),
    });
    const refusing = (status: number): Page => ({
      path: `/refused/${status}`,
      show: () => {
        throw new Refusal(status, 'the reason <i>');
      },
    });
    const failing: Page = {
      path: '/failed',
      show: () => {
        throw new Error('a secret of the server');
      },
    };
    const statuses = [400, 403, 404, 409, 413, 422, 429, 503];
    await servePages(app, server.running.services, async () => [...statuses.map(refusing), failing]);
    const ask = (path: string) => app.inject({ url: path, headers: { accept: 'text/html' } });
    for (const status of [...statuses, 500]) {
      const answer = await ask(status === 500 ? '/failed' : `/refused/${status}`);
      assert.equal(answer.statusCode, status);
      assert.match(answer.payload, /<p class="muted">Request number-of-the-request<\/p>/);
      assert.equal(answer.headers['x-request-id'], 'number-of-the-request');
      assert.ok(!/secret of the server|<i>/.test(answer.payload));
      assert.equal(answer.payload.includes('the reason &lt;i&gt;'), status < 500 && status !== 404, `${status}`);
    }
    await app.close();
  });

  it('show error pages to browsers for forged forms, missing pages and missing permissions', async () => {
    const number = (text: string) => /Request ([0-9a-f-]{36})</.exec(text)?.[1];
    const forged = await root.post('/tea/kettle/-/star', { authenticity_token: 'forged' });
    assert.equal(forged.status, 422);
    const gone = await root.open('/tea/kettle/-/issues/999');
    assert.equal(gone.status, 404);
    const guest = await addUser(server);
    const browser = new Browser(server);
    await browser.signIn(guest.username, 'long enough 4 you');
    const token = tokenIn((await browser.open('/tea/kettle')).text);
    const refused = await browser.post('/tea/kettle/-/merge_requests/1/merge', { authenticity_token: token });
    assert.ok(refused.status === 401 || refused.status === 403, `${refused.status}`);
    const seen = [forged, gone, refused].map(({ text, headers }) => [number(text), headers.get('x-request-id')]);
    for (const [shown, sent] of seen) assert.ok(shown !== undefined && shown === sent, `${shown} ${sent}`);
    assert.equal(new Set(seen.map(([shown]) => shown)).size, 3);
  });

  it('reject forms from other sites and sessions at every URL', async () => {
    const own = new Browser(server);
    await own.signIn('root', rootPassword);
    const [valid, others] = [tokenIn((await own.open('/')).text), tokenIn((await root.open('/')).text)];
    // The form of a SAML provider comes from its own site; its signature is verified instead.
    const fromAnySite = pages.filter((page) => page.fromAnySite).map(({ path }) => path);
    assert.deepEqual(fromAnySite, ['/users/auth/:provider/callback']);
    const written = pages.filter((page) => page.method === 'POST' && !page.fromAnySite);
    assert.ok(written.length > 150, `${written.length}`);
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { referer: 'https://evil.example/form' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    const before = await stored();
    for (const [at, { path, withoutToken }] of written.entries()) {
      const address = path
        .replace(/:project\b/, 'tea/kettle')
        .replace(/:(group|namespace)\b/, 'tea')
        .replace(/:i?id\b/g, '1')
        .replace(/[:*][a-z_]+/g, 'main');
      // Two of the attacks per URL, so that each attack is used on a third of them.
      for (const headers of [0, 1].map((next) => foreign[(at + next) % foreign.length])) {
        const sender = withoutToken ? new Browser(server) : own;
        const answer = await sender.post(address, { authenticity_token: valid }, headers);
        assert.equal(answer.status, 403, `${address} ${JSON.stringify(headers)}`);
      }
      if (withoutToken) continue;
      for (const authenticity_token of [[], others, ['x', others], `x${valid}`]) {
        const answer = await own.post(address, { authenticity_token });
        assert.equal(answer.status, 422, `${address} ${authenticity_token}`);
      }
      assert.equal((await new Browser(server).post(address, { authenticity_token: valid })).status, 303, address);
    }
    assert.deepEqual(await stored(), before);
    assert.equal((await own.open('/-/user_settings/profile')).status, 200);
  });

  // Must be last, because it hides the project.
  it('respond with 404 without access to the project at every URL', async () => {
    await server.must('PUT /projects/tea%2Fkettle', { json: { visibility: 'private' } });
    const outsider = await addUser(server);
    const stranger = new Browser(server);
    const signedIn = new Browser(server);
    await signedIn.signIn(outsider.username, 'long enough 4 you');
    const token = tokenIn((await signedIn.open('/')).text);
    const there = Object.values(scene.pages).filter((path) => path.startsWith('/tea/kettle'));
    const [nowhere, hidden] = await Promise.all([signedIn.open('/tea/nothing'), signedIn.open('/tea/kettle')]);
    const plain = (text: string) => text.replace(/Request [0-9a-f-]{36}|authenticity_token" value="[^"]*"/g, '');
    assert.equal(plain(hidden.text).replaceAll('/tea/kettle', '/tea/nothing'), plain(nowhere.text));
    for (const path of there) {
      assert.equal((await root.open(path)).status, 200, path);
      const page = await signedIn.open(path);
      assert.equal(page.status, 404, path);
      const seen = await stranger.open(path);
      const sent = seen.status === 303 ? seen.headers.get('location') : null;
      assert.ok(seen.status === 404 || sent?.startsWith('/users/sign_in?redirect='), `${path}: ${seen.status} ${sent}`);
      assert.ok(!/Kettle|darjeeling, and/.test(page.text + seen.text), path);
    }
    const written = pages.filter(({ method, path }) => method === 'POST' && path.startsWith('/:project/'));
    assert.ok(written.length > 40, `${written.length}`);
    for (const { path } of written) {
      const address = path
        .replace(':project', 'tea/kettle')
        .replace(/:i?id\b/g, '1')
        .replace(/[:*][a-z_]+/g, 'main');
      const answer = await signedIn.post(address, { authenticity_token: token });
      assert.equal(answer.status, 404, `${address}: ${answer.status}`);
      assert.equal((await stranger.post(address, {})).status, 303, address);
    }
  });
});
