import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addressProblem, fillPlaceholders } from '../../../src/ci/badges/placeholders.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';

describe('badge URLs', () => {
  it('have known placeholders replaced', () => {
    const facts = { project_path: 'a/b', project_id: '7' };
    assert.equal(fillPlaceholders('https://x/%{project_path}/%{project_id}', facts), 'https://x/a/b/7');
    assert.equal(fillPlaceholders('https://x/%{latest_tag}%{', facts), 'https://x/%{latest_tag}%{');
  });

  for (const [address, problem] of [
    ['https://shields.example/%{project_path}.svg?a=1', undefined],
    ['http://%{gitlab_server}/x', undefined],
    ['', "can't be blank"],
    ['nothing', 'is blocked: URI is invalid'],
    ['https://x/a b', 'is blocked: URI is invalid'],
    ['javascript:alert(1)', 'is blocked: Only allowed schemes are http, https'],
    ['ftp://x/%{project_path}', 'is blocked: Only allowed schemes are http, https'],
    [`https://x/${'a'.repeat(3000)}`, 'is too long (maximum is 2048 characters)'],
  ] as const) {
    it(`${address.slice(0, 50)}: ${problem ?? 'is accepted'}`, () => assert.equal(addressProblem(address), problem));
  }
});

forEachEngine((engine) => {
  describe('badges API', () => {
    let fixture: ProjectWithRoles;
    let group: { id: number };
    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const attributes = {
      name: 'Coverage',
      link_url: 'https://example.com/%{project_path}/-/commits/%{default_branch}',
      image_url: 'https://example.com/%{project_id}/%{commit_sha}.svg',
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ a: 'a' }, 'root');
      fixture = await projectWithRoles(engine, 'badged', source);
      group = (await fixture.asOwner('POST /groups', { json: { name: 'Many', path: 'many' } })).body;
    });

    it('creates, lists, updates and deletes project badges', async () => {
      const { asOwner, asDeveloper, base, server, project } = fixture;
      const created = await asOwner(`POST ${base}/badges`, { json: attributes });
      assert.equal(created.status, 201);
      const { id, kind, name, link_url, rendered_link_url, rendered_image_url } = created.body;
      assert.deepEqual([kind, name, link_url], ['project', 'Coverage', attributes.link_url]);
      assert.match(rendered_link_url, /^https:\/\/example\.com\/[^%]+\/badged\/-\/commits\/main$/);
      assert.match(rendered_image_url, new RegExp(`^https://example\\.com/${project.id}/[0-9a-f]{40}\\.svg$`));
      assert.deepEqual((await asDeveloper(`GET ${base}/badges`)).body, [created.body]);
      assert.deepEqual((await asDeveloper(`GET ${base}/badges?name=None`)).body, []);
      assert.deepEqual((await asDeveloper(`GET ${base}/badges/${id}`)).body, created.body);
      const changed = await asOwner(`PUT ${base}/badges/${id}`, { json: { name: 'Other' } });
      assert.deepEqual([changed.status, changed.body.name, changed.body.link_url], [200, 'Other', attributes.link_url]);
      const preview = await asOwner(`GET ${base}/badges/render?${new URLSearchParams(attributes)}`);
      assert.deepEqual([preview.status, preview.body.rendered_link_url], [200, rendered_link_url]);
      assert.equal((await asDeveloper(`POST ${base}/badges`, { json: attributes })).status, 403);
      assert.equal((await asDeveloper(`DELETE ${base}/badges/${id}`)).status, 403);
      assert.equal((await server.api(`GET ${base}/badges`, { token: null })).status, 404);
      const bad = await asOwner(`POST ${base}/badges`, { json: { ...attributes, link_url: 'javascript:alert(1)' } });
      assert.deepEqual(statusAndMessage(bad), [
        400,
        { link_url: ['is blocked: Only allowed schemes are http, https'] },
      ]);
      assert.equal((await asOwner(`POST ${base}/badges`, { json: { link_url: 'https://x' } })).status, 400);
      assert.equal((await asOwner(`DELETE ${base}/badges/${id}`)).status, 204);
      assert.deepEqual(statusAndMessage(await asOwner(`GET ${base}/badges/${id}`)), [404, '404 Badge Not Found']);
    });

    it('lists group badges in projects, but only changes them in the group', async () => {
      const { asOwner } = fixture;
      const at = `/groups/${group.id}/badges`;
      const empty = (await asOwner(`POST ${at}`, { json: attributes })).body;
      assert.deepEqual([empty.kind, empty.rendered_link_url], ['group', attributes.link_url]);
      const json = { name: 'Inside', namespace_id: group.id };
      const { body: inside } = await asOwner('POST /projects', { json });
      const [shown] = (await asOwner(`GET /projects/${inside.id}/badges`)).body;
      assert.deepEqual([shown.id, shown.kind], [empty.id, 'group']);
      assert.match(shown.rendered_link_url, /^https:\/\/example\.com\/many\/inside\/-\/commits\/main$/);
      assert.equal((await asOwner(`GET ${at}/${empty.id}`)).body.rendered_link_url, shown.rendered_link_url);
      const refused = await asOwner(`DELETE /projects/${inside.id}/badges/${empty.id}`);
      assert.equal(refused.status, 403);
      assert.equal((await fixture.asDeveloper(`PUT ${at}/${empty.id}`, { json: { name: 'x' } })).status, 404);
      assert.equal((await asOwner(`DELETE ${at}/${empty.id}`)).status, 204);
    });
  });
});
