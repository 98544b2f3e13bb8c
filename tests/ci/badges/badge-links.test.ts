import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addressProblem, filledIn } from '../../../src/ci/badges/placeholders.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';

describe('the addresses of badges', () => {
  it('have what is known filled in', () => {
    const facts = { project_path: 'a/b', project_id: '7' };
    assert.equal(filledIn('https://x/%{project_path}/%{project_id}', facts), 'https://x/a/b/7');
    assert.equal(filledIn('https://x/%{latest_tag}%{', facts), 'https://x/%{latest_tag}%{');
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
    it(`${address.slice(0, 50)}: ${problem ?? 'is fine'}`, () => assert.equal(addressProblem(address), problem));
  }
});

forEachEngine((engine) => {
  describe('badges with links', () => {
    let place: ProjectWithRoles;
    let group: { id: number };
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const wanted = {
      name: 'Coverage',
      link_url: 'https://example.com/%{project_path}/-/commits/%{default_branch}',
      image_url: 'https://example.com/%{project_id}/%{commit_sha}.svg',
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ a: 'a' }, 'root');
      place = await projectWithRoles(engine, 'badged', source);
      group = (await place.asOwner('POST /groups', { json: { name: 'Many', path: 'many' } })).body;
    });

    it('of a project are added, shown, changed and removed', async () => {
      const { asOwner, asDeveloper, base, server, project } = place;
      const made = await asOwner(`POST ${base}/badges`, { json: wanted });
      assert.equal(made.status, 201);
      const { id, kind, name, link_url, rendered_link_url, rendered_image_url } = made.body;
      assert.deepEqual([kind, name, link_url], ['project', 'Coverage', wanted.link_url]);
      assert.match(rendered_link_url, /^https:\/\/example\.com\/[^%]+\/badged\/-\/commits\/main$/);
      assert.match(rendered_image_url, new RegExp(`^https://example\\.com/${project.id}/[0-9a-f]{40}\\.svg$`));
      assert.deepEqual((await asDeveloper(`GET ${base}/badges`)).body, [made.body]);
      assert.deepEqual((await asDeveloper(`GET ${base}/badges?name=None`)).body, []);
      assert.deepEqual((await asDeveloper(`GET ${base}/badges/${id}`)).body, made.body);
      const changed = await asOwner(`PUT ${base}/badges/${id}`, { json: { name: 'Other' } });
      assert.deepEqual([changed.status, changed.body.name, changed.body.link_url], [200, 'Other', wanted.link_url]);
      const preview = await asOwner(`GET ${base}/badges/render?${new URLSearchParams(wanted)}`);
      assert.deepEqual([preview.status, preview.body.rendered_link_url], [200, rendered_link_url]);
      assert.equal((await asDeveloper(`POST ${base}/badges`, { json: wanted })).status, 403);
      assert.equal((await asDeveloper(`DELETE ${base}/badges/${id}`)).status, 403);
      assert.equal((await server.api(`GET ${base}/badges`, { token: null })).status, 404);
      const bad = await asOwner(`POST ${base}/badges`, { json: { ...wanted, link_url: 'javascript:alert(1)' } });
      assert.deepEqual(says(bad), [400, { link_url: ['is blocked: Only allowed schemes are http, https'] }]);
      assert.equal((await asOwner(`POST ${base}/badges`, { json: { link_url: 'https://x' } })).status, 400);
      assert.equal((await asOwner(`DELETE ${base}/badges/${id}`)).status, 204);
      assert.deepEqual(says(await asOwner(`GET ${base}/badges/${id}`)), [404, '404 Badge Not Found']);
    });

    it('of a group are shown in its projects, and changed only there', async () => {
      const { asOwner } = place;
      const at = `/groups/${group.id}/badges`;
      const empty = (await asOwner(`POST ${at}`, { json: wanted })).body;
      assert.deepEqual([empty.kind, empty.rendered_link_url], ['group', wanted.link_url]);
      const json = { name: 'Inside', namespace_id: group.id };
      const { body: inside } = await asOwner('POST /projects', { json });
      const [shown] = (await asOwner(`GET /projects/${inside.id}/badges`)).body;
      assert.deepEqual([shown.id, shown.kind], [empty.id, 'group']);
      assert.match(shown.rendered_link_url, /^https:\/\/example\.com\/many\/inside\/-\/commits\/main$/);
      assert.equal((await asOwner(`GET ${at}/${empty.id}`)).body.rendered_link_url, shown.rendered_link_url);
      const refused = await asOwner(`DELETE /projects/${inside.id}/badges/${empty.id}`);
      assert.equal(refused.status, 403);
      assert.equal((await place.asDeveloper(`PUT ${at}/${empty.id}`, { json: { name: 'x' } })).status, 404);
      assert.equal((await asOwner(`DELETE ${at}/${empty.id}`)).status, 204);
    });
  });
});
