import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { domain, PagesPlace } from './place.ts';

const configuration = 'pages: {script: make, artifacts: {paths: [public]}}';
const files = {
  'public/index.html': '<h1>home</h1>',
  'public/data.html': 'data page',
  'public/data/index.html': 'data folder',
  'public/info.html': 'info page',
  'public/info/details.html': 'details',
  'public/other/index.html': 'other folder',
  'public/ü ö.txt': 'umlauts',
  'public/app.js': 'x'.repeat(5000),
  'public/app.js.gz': gzipSync('x'.repeat(5000)),
  'public/404.html': 'gone astray',
  'public/_redirects': [
    '/old.html /info.html 302',
    '/news/:year/:slug /blog-:year-:slug.html',
    '/away/* https://example.com/:splat',
    '/app/* /index.html 200',
    '/info.html /never 301',
    'bad',
  ].join('\n'),
  'secret.txt': 'not published',
};

forEachEngine((engine) => {
  describe('Pages sites', () => {
    let place: PagesPlace;
    let project: Project;
    let url: string;
    const get = (path: string, headers = {}) => place.visit(url + path, headers);

    before(async () => {
      place = await PagesPlace.start(engine);
      project = await place.project('site', configuration, { visibility: 'public' });
      await place.run(files);
      ({ url } = await place.pages(project));
    });

    it('have a unique domain and serve the artifacts of the job', async () => {
      assert.match(url, new RegExp(`^http://site-${project.id}-[0-9a-f]{6}\\.pages\\.localhost:\\d+$`));
      const home = await get('/');
      assert.deepEqual([home.status, home.text], [200, '<h1>home</h1>']);
      assert.equal(home.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(home.headers['x-content-type-options'], 'nosniff');
      assert.equal(home.headers['content-length'], '13');
      assert.equal(home.headers['access-control-allow-origin'], '*');
      assert.equal((await get('/%C3%BC%20%C3%B6.txt')).text, 'umlauts');
    });

    it('resolve paths to pages', async () => {
      const cases: readonly [string, number, string][] = [
        ['/index.html', 200, '<h1>home</h1>'],
        ['/index', 200, '<h1>home</h1>'],
        ['/data', 200, 'data folder'],
        ['/data/', 200, 'data folder'],
        ['/data.html', 200, 'data page'],
        ['/info', 200, 'info page'],
        ['/info/', 200, 'info page'],
        ['/info.html', 200, 'info page'],
        ['/info/details', 200, 'details'],
        ['/other/', 200, 'other folder'],
        ['/other/index', 200, 'other folder'],
        ['/none', 404, 'gone astray'],
        ['/none/', 404, 'gone astray'],
        ['/data.html/', 404, 'gone astray'],
      ];
      for (const [path, status, text] of cases) {
        const got = await get(path);
        assert.deepEqual([path, got.status, got.text], [path, status, text]);
      }
      const folder = await get('/other?a=1');
      assert.deepEqual([folder.status, folder.headers.location], [302, '/other/?a=1']);
    });

    it('serve only published files, however the path is encoded', async () => {
      for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/x/%2e%2e/%2e%2e/secret.txt']) {
        assert.equal((await get(path)).status, 404, path);
      }
      assert.equal((await get('/a%00b')).status, 404);
      assert.equal((await get('/%ff')).status, 400);
      assert.equal((await get('/%')).status, 400);
      assert.equal((await get(`/${'a'.repeat(9000)}`)).status, 414);
    });

    it('answer only GET and HEAD, and no routes of the main server', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const refused = await place.visit(`${url}/`, {}, method);
        assert.deepEqual([method, refused.status, refused.headers.allow], [method, 405, 'GET, HEAD']);
      }
      const head = await place.visit(`${url}/`, {}, 'HEAD');
      assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '13']);
      const token = { 'private-token': place.owner.token };
      for (const path of ['/api/v4/projects', '/users/sign_in', '/-/health', '/-/metrics', '/explore']) {
        const got = await get(path, token);
        assert.deepEqual([path, got.status, got.text], [path, 404, 'gone astray']);
      }
    });

    it('support ranges, precompressed files and conditional requests', async () => {
      const whole = await get('/app.js');
      const tag = String(whole.headers.etag);
      assert.equal(whole.headers['content-encoding'], undefined);
      assert.equal(whole.bytes.length, 5000);
      const packed = await get('/app.js', { 'accept-encoding': 'br;q=0, gzip' });
      assert.deepEqual([packed.headers['content-encoding'], packed.text.length], ['gzip', 5000]);
      assert.equal(packed.headers['content-type'], whole.headers['content-type']);
      assert.notEqual(packed.headers.etag, tag);
      assert.equal(packed.headers.vary, 'accept-encoding');
      const known = await get('/app.js', { 'if-none-match': `W/${tag}` });
      assert.deepEqual([known.status, known.bytes.length, known.headers.etag], [304, 0, tag]);
      const part = await get('/', { range: 'bytes=4-7' });
      assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'home', 'bytes 4-7/13']);
      assert.equal((await get('/', { range: 'bytes=-5' })).text, '</h1>');
      assert.equal((await get('/', { range: 'bytes=4-7', 'if-range': '"other"' })).status, 200);
      const beyond = await get('/', { range: 'bytes=13-' });
      assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */13']);
    });

    it('apply _redirects rules where no file exists', async () => {
      const to = async (path: string) => {
        const { status, headers } = await get(path);
        return [status, headers.location];
      };
      assert.deepEqual(await to('/old.html'), [302, '/info.html']);
      assert.deepEqual(await to('/news/2024/a%20b'), [301, '/blog-2024-a%20b.html']);
      assert.deepEqual(await to('/away/a/b'), [301, 'https://example.com/a/b']);
      assert.equal((await get('/info.html')).text, 'info page');
      const rewritten = await get('/app/some/route');
      assert.deepEqual([rewritten.status, rewritten.text], [200, '<h1>home</h1>']);
      const shown = await get('/_redirects');
      assert.match(shown.text, /^6 rules\nrule 1: valid\n[\s\S]*rule 6: error: /);
    });

    it('are rate limited', async () => {
      const set = (json: object) => place.server.must('PUT /application/settings', { json });
      const limit = {
        throttle_unauthenticated_web_requests_per_period: 2,
        throttle_unauthenticated_web_period_in_seconds: 3600,
      };
      await set({ ...limit, throttle_unauthenticated_web_enabled: true, rate_limiting_response_text: 'Slowly!' });
      const first = await get('/');
      assert.deepEqual([first.status, first.headers['ratelimit-remaining']], [200, '1']);
      assert.equal((await get('/-/pages/auth')).status, 400);
      const refused = await get('/info');
      assert.deepEqual([refused.status, refused.text], [429, 'Slowly!\n']);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      const signedIn = await get('/info', { authorization: `Bearer ${place.owner.token}` });
      assert.equal(signedIn.status, 200, 'signed-in users are counted separately');
      await set({ throttle_unauthenticated_web_enabled: false, rate_limiting_response_text: null });
      assert.equal((await get('/info')).status, 200);
    });

    it('are also served on the host of their group', async () => {
      const group = `http://${place.owner.user.username}.${domain}`;
      const port = new URL(url).port;
      const led = await place.visit(`${group}:${port}/site/other/?q=1`);
      assert.deepEqual([led.status, led.headers.location], [308, `${url}/other/?q=1`]);
      const token = { token: place.owner.token };
      await place.server.must(`PATCH /projects/${project.id}/pages`, {
        ...token,
        json: { pages_unique_domain_enabled: false },
      });
      const { url: shared } = await place.pages(project);
      assert.equal(shared, `${group}:${port}/site`);
      assert.equal((await place.visit(`${shared}/info`)).text, 'info page');
      assert.equal((await place.visit(`${shared.toUpperCase().replace('HTTP', 'http')}/info`)).text, 'info page');
      const bare = await place.visit(shared);
      assert.deepEqual([bare.status, bare.headers.location], [302, '/site/']);
      assert.equal((await get('/', { authorization: `Bearer ${place.owner.token}` })).status, 404);
      await place.server.must(`PATCH /projects/${project.id}/pages`, {
        ...token,
        json: { pages_unique_domain_enabled: true },
      });
      assert.equal((await get('/')).status, 200);
    });
  });
});
