import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { groupScopes, instanceScopes, projectScopes } from '../../../src/integrations/search/schema.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const canary = join(tmpdir(), `hearth-search-${process.pid}`);

const hostile = [
  '.*',
  '(a+)+$',
  '[',
  '\\',
  '\\E.*',
  '%',
  '_',
  "'; drop table users; --",
  '" OR "a',
  'NEAR(a b)',
  'a AND NOT',
  '-',
  '--',
  '-e',
  '-f/etc/passwd',
  `-Otouch ${canary}`,
  `--open-files-in-pager=touch ${canary}`,
  ':(glob)**',
  ':(exclude)lib',
  ':/',
  'HEAD',
  'main:lib/a.txt',
  '\0',
  'a\0b',
  'line\nbreak',
  '\ud800',
  '\u202e',
  '𠮷',
  'filename:',
  'filename:* path:* extension:*',
  'filename:-f path:../../../etc/passwd',
  'extension:.',
  'path:/',
  `filename:${'*a'.repeat(1000)}b`,
  `path:${'a'.repeat(2000)}*b`,
  'x'.repeat(4096),
  '*'.repeat(4096),
  '{}"\\u0000',
  '\u{1f4a9}'.repeat(500),
];

forEachEngine((engine) => {
  describe('hostile search texts', () => {
    let server: TestServer;
    let project: { id: number };
    let group: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Group', path: 'group' } });
      project = await server.must('POST /projects', { json: { name: 'Project', namespace_id: group.id } });
      const actions = [
        { action: 'create', file_path: 'lib/a.txt', content: 'A dot-star .* and a dash -e\n' },
        { action: 'create', file_path: '-f', content: 'a file of a dangerous name\n' },
        { action: 'create', file_path: 'many.txt', content: 'needle in every line\n'.repeat(20_000) },
        { action: 'create', file_path: 'wide.txt', content: `wide ${'x'.repeat(3_000_000)} wide\n` },
        { action: 'create', file_path: `${'a'.repeat(250)}/${'a'.repeat(250)}`, content: 'deep\n' },
      ];
      await server.must(`POST /projects/${project.id}/repository/commits`, {
        json: { branch: 'main', commit_message: 'Add .* and [', actions },
      });
      await server.must(`POST /projects/${project.id}/wikis`, { json: { title: 'Page', content: 'text .*' } });
      await server.must(`POST /projects/${project.id}/issues`, { json: { title: '100% of .*', description: '\\' } });
    });

    const look = (where: string, scope: string, search: string, more = '') =>
      server.api(`GET ${where}/search?scope=${scope}&search=${encodeURIComponent(search.toWellFormed())}${more}`);

    it('get a result or a client error in every scope', async () => {
      const places = [
        ['', instanceScopes],
        [`/groups/${group.id}`, groupScopes],
        [`/projects/${project.id}`, projectScopes],
      ] as const;
      for (const [where, scopes] of places) {
        for (const scope of scopes) {
          for (const search of hostile) {
            const { status } = await look(where, scope, search);
            assert.ok(
              status === 200 || status === 400,
              `${where} ${scope} ${JSON.stringify(search).slice(0, 40)}: ${status}`,
            );
          }
        }
      }
      assert.equal(existsSync(canary), false);
    });

    it('are taken literally, not as patterns or git pathspecs', async () => {
      const at = `/projects/${project.id}`;
      const paths = async (search: string) =>
        (await look(at, 'blobs', search)).body.map(({ path }: { path: string }) => path);
      assert.deepEqual(await paths('.*'), ['lib/a.txt']);
      assert.deepEqual(await paths('-e'), ['lib/a.txt']);
      assert.deepEqual(await paths('-f'), ['-f']);
      for (const search of [':(glob)**', ':/', 'HEAD', 'd.t', '[a-z]'])
        assert.deepEqual(await paths(search), [], search);
      assert.deepEqual((await look(at, 'commits', '.*')).body.length, 1);
      assert.deepEqual((await look(at, 'commits', 'a.d')).body, []);
      assert.deepEqual((await look(at, 'issues', '%')).body.length, 1);
      assert.deepEqual((await look(at, 'issues', '0_ of')).body, []);
      for (const ref of ['-Otouch', '--all', 'main:lib', ':/Add', 'main^{/Add}', '@{-1}', '../x', 'refs/', 'main\0']) {
        const { status, body } = await look(at, 'blobs', 'dash', `&ref=${encodeURIComponent(ref)}`);
        assert.ok(status === 400 || (status === 200 && body.length === 0), `${ref}: ${status}`);
      }
    });

    it('return truncated passages and lines', async () => {
      const at = `/projects/${project.id}`;
      const [many] = (await look(at, 'blobs', 'needle', '&num_context_lines=20')).body;
      assert.equal(many.path, 'many.txt');
      assert.equal(many.startline, 1);
      assert.ok(many.data.length <= 8192);
      const [wide] = (await look(at, 'blobs', 'wide')).body;
      assert.ok(wide.data.startsWith('wide xxx') && wide.data.length <= 8192);
      const { status } = await look(at, 'blobs', 'needle', '&num_context_lines=21');
      assert.equal(status, 400);
    });
  });
});
