import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { routeDownloadUrl } from '../src/download-addresses.ts';
import { startTestServer } from './support/server.ts';

describe('addresses of downloads', () => {
  const archive = '/api/v4/projects/a%2Fb/repository/archive';
  const table: [string, string][] = [
    ['/a/b/-/archive/v1/b-v1.zip', `${archive}.zip?sha=v1&append_sha=false`],
    ['/a/b/-/archive/v1/b-v1.tar.gz?path=x', `${archive}.tar.gz?sha=v1&append_sha=false&path=x`],
    ['/a/b/-/archive/v1/other.tar', `${archive}.tar?sha=v1`],
    ['/a/b/-/archive/x/y%20z/b-x-y%20z.zip', `${archive}.zip?sha=x%2Fy+z&append_sha=false`],
    ['/a/b/-/archive/main.tar.bz2', `${archive}.tar.bz2?sha=main`],
    ['/a/b/-/releases/v1/downloads/bin/x?a=1', '/api/v4/projects/a%2Fb/releases/v1/downloads/bin/x?a=1'],
    ['/a/b/-/releases/permalink/latest/downloads/x', '/api/v4/projects/a%2Fb/releases/permalink/latest/downloads/x'],
  ];
  for (const [given, routed] of table) it(given, () => assert.equal(routeDownloadUrl(given), routed));

  for (const other of [
    '/a/b/-/archive/v1/b-v1.rar',
    '/a/b/-/archive/%E0%A4%A/b.zip',
    '/a/b/-/releases/v1',
    '/a/-/archive/v1/b-v1.zip',
    '/a b/c/-/archive/v1/b-v1.zip',
    '/-/health',
    '/api/v4/projects/-/archive/x.zip',
    '/api/v4/groups/x/-/search',
  ]) {
    it(`leaves ${other}`, () => assert.equal(routeDownloadUrl(other), other));
  }

  it('lead to the files that releases offer, for whoever may have them', async () => {
    const server = await startTestServer('sqlite');
    const project = await server.must('POST /projects', { json: { name: 'b', initialize_with_readme: true } });
    const { full_path } = await server.must(`POST /projects/${project.id}/uploads`, { body: formOf('hello') });
    const link = { name: 'file', url: `${server.url}${full_path}`, direct_asset_path: '/bin/file' };
    const release = await server.must(`POST /projects/${project.id}/releases`, {
      json: { tag_name: 'v1', ref: 'main', assets: { links: [link] } },
    });
    const headers = { 'private-token': 'glpat-test-root-token' };
    const asset = await fetch(release.assets.links[0].direct_asset_url, { headers });
    assert.equal(await asset.text(), 'hello');
    for (const { url, format } of release.assets.sources) {
      const answer = await fetch(url, { headers });
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`filename="b-v1\\.${format}"`));
      await answer.arrayBuffer();
      assert.equal((await fetch(url)).status, 404);
    }
  });
});

function formOf(text: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([text]), 'file.txt');
  return form;
}
