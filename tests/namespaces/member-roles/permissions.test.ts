import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type CustomPermission,
  customPermissions,
  type PermissionDefinition,
  permissionNames,
} from '../../../src/access/custom-permissions.ts';
import { type AbilityRule, groupAbilities, projectAbilities } from '../../../src/access/policy.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Places and things that calls are about; `n` makes names unique. */
interface About {
  readonly group: number;
  readonly project: number;
  readonly spare: number;
  readonly subgroup: number;
  readonly request: number;
  readonly runner: number;
  readonly groupRunner: number;
  readonly user: number;
  readonly n: number;
}

type Calls = (about: About) => readonly (string | readonly [string, object])[];

/** What each permission allows; the calls succeed in this order. */
const allowed: Partial<Record<CustomPermission, Calls>> = {
  admin_cicd_variables: ({ project, group, n }) => [
    [`POST /projects/${project}/variables`, { key: `KEY_${n}`, value: 'v' }],
    `GET /projects/${project}/variables/KEY_${n}`,
    `DELETE /projects/${project}/variables/KEY_${n}`,
    [`POST /groups/${group}/variables`, { key: `KEY_${n}`, value: 'v' }],
    `GET /groups/${group}/variables`,
  ],
  admin_group_member: ({ group, user }) => [
    [`POST /groups/${group}/members`, { user_id: user, access_level: 10 }],
    `GET /groups/${group}/invitations`,
    `DELETE /groups/${group}/members/${user}`,
  ],
  admin_integrations: ({ project, group }) => [
    [`PUT /projects/${project}/integrations/slack`, { webhook: 'https://example.com/hook' }],
    `GET /projects/${project}/integrations`,
    `GET /groups/${group}/integrations`,
  ],
  admin_merge_request: ({ project, request }) => [
    `GET /projects/${project}/merge_requests`,
    `GET /projects/${project}/merge_requests/${request}/changes`,
    [`PUT /projects/${project}/merge_requests/${request}`, { title: 'Changed' }],
    `GET /projects/${project}/approval_rules`,
    `POST /projects/${project}/merge_requests/${request}/approve`,
    `POST /projects/${project}/merge_requests/${request}/unapprove`,
  ],
  admin_protected_branch: ({ project, n }) => [
    [`POST /projects/${project}/protected_branches`, { name: `release-${n}-*` }],
    `GET /projects/${project}/protected_branches/release-${n}-*`,
    `DELETE /projects/${project}/protected_branches/release-${n}-*`,
  ],
  admin_protected_environments: ({ project, group }) => [
    `GET /projects/${project}/protected_environments`,
    `GET /groups/${group}/protected_environments`,
  ],
  admin_push_rules: ({ project, group }) => [
    [`POST /projects/${project}/push_rule`, { member_check: true }],
    `GET /projects/${project}/push_rule`,
    `DELETE /projects/${project}/push_rule`,
    [`POST /groups/${group}/push_rule`, { member_check: true }],
    `DELETE /groups/${group}/push_rule`,
  ],
  admin_runners: ({ project, group, runner, groupRunner }) => [
    `GET /runners/${runner}`,
    [`PUT /runners/${runner}`, { description: 'changed' }],
    `GET /runners/${groupRunner}`,
    [`PUT /runners/${groupRunner}`, { description: 'changed' }],
    `GET /projects/${project}/runners`,
    `GET /groups/${group}/runners`,
    ['POST /user/runners', { runner_type: 'project_type', project_id: project }],
    ['POST /user/runners', { runner_type: 'group_type', group_id: group }],
  ],
  admin_terraform_state: ({ project, n }) => [
    [`POST /projects/${project}/terraform/state/state-${n}`, { version: 4, serial: 1, lineage: 'l' }],
    `GET /projects/${project}/terraform/state/state-${n}`,
    `DELETE /projects/${project}/terraform/state/state-${n}`,
  ],
  admin_web_hook: ({ project, group }) => [
    [`POST /projects/${project}/hooks`, { url: 'https://example.com/hook' }],
    `GET /projects/${project}/hooks`,
    `GET /groups/${group}/hooks`,
  ],
  archive_project: ({ spare }) => [`POST /projects/${spare}/archive`, `POST /projects/${spare}/unarchive`],
  manage_deploy_tokens: ({ project, group }) => [
    [`POST /projects/${project}/deploy_tokens`, { name: 'deploy', scopes: ['read_repository'] }],
    `GET /projects/${project}/deploy_tokens`,
    [`POST /groups/${group}/deploy_tokens`, { name: 'deploy', scopes: ['read_repository'] }],
    `GET /groups/${group}/deploy_tokens`,
  ],
  manage_group_access_tokens: ({ group }) => [
    [`POST /groups/${group}/access_tokens`, { name: 'bot', scopes: ['api'], access_level: 10, expires_at: inAMonth }],
    `GET /groups/${group}/access_tokens`,
  ],
  manage_merge_request_settings: ({ project, group }) => [
    [`PUT /projects/${project}`, { only_allow_merge_if_all_discussions_are_resolved: true }],
    [
      `POST /projects/${project}/approval_rules`,
      { name: 'Everybody', approvals_required: 0, rule_type: 'any_approver' },
    ],
    `GET /projects/${project}/approval_rules`,
    `GET /projects/${project}/merge_request_approval_setting`,
    [`PUT /groups/${group}/merge_request_approval_setting`, { allow_author_approval: true }],
  ],
  manage_project_access_tokens: ({ project }) => [
    [
      `POST /projects/${project}/access_tokens`,
      { name: 'bot', scopes: ['api'], access_level: 10, expires_at: inAMonth },
    ],
    `GET /projects/${project}/access_tokens`,
  ],
  manage_protected_tags: ({ project, n }) => [
    [`POST /projects/${project}/protected_tags`, { name: `v${n}-*` }],
    `GET /projects/${project}/protected_tags`,
  ],
  read_code: ({ project }) => [
    `GET /projects/${project}/repository/tree`,
    `GET /projects/${project}/repository/files/README.md?ref=main`,
    `GET /projects/${project}/repository/files/README.md/raw?ref=main`,
    `GET /projects/${project}/repository/commits`,
    `GET /projects/${project}/repository/branches`,
    `GET /projects/${project}/repository/archive.zip`,
  ],
  read_runners: ({ project, group, runner, groupRunner }) => [
    `GET /projects/${project}/runners`,
    `GET /groups/${group}/runners`,
    `GET /runners/${runner}`,
    `GET /runners/${groupRunner}`,
  ],
  remove_group: ({ subgroup }) => [`DELETE /groups/${subgroup}`],
  remove_project: ({ spare }) => [`DELETE /projects/${spare}`],
};

/** What it never allows, although it is near. */
const refused: Partial<Record<CustomPermission, Calls>> = {
  admin_group_member: ({ group, project, user }) => [
    [`POST /groups/${group}/members`, { user_id: user, access_level: 20 }],
    [`POST /projects/${project}/members`, { user_id: user, access_level: 10 }],
    `GET /groups/${group}/billable_members`,
    [`PUT /groups/${group}`, { name: 'Mine' }],
    `POST /groups/${group}/members/${user}/ban`,
  ],
  admin_merge_request: ({ project, request }) => [`DELETE /projects/${project}/merge_requests/${request}`],
  admin_protected_branch: ({ project, n }) => [[`POST /projects/${project}/protected_tags`, { name: `v${n}` }]],
  manage_group_access_tokens: ({ group, project }) => [
    [`POST /groups/${group}/access_tokens`, { name: 'bot', scopes: ['api'], access_level: 20, expires_at: inAMonth }],
    `GET /groups/${group}/manage/personal_access_tokens`,
    `GET /projects/${project}/access_tokens`,
  ],
  manage_merge_request_settings: ({ project }) => [
    [`PUT /projects/${project}`, { only_allow_merge_if_pipeline_succeeds: true, name: 'mine' }],
    [`PUT /projects/${project}`, { visibility: 'public' }],
  ],
  manage_project_access_tokens: ({ project }) => [
    [
      `POST /projects/${project}/access_tokens`,
      { name: 'bot', scopes: ['api'], access_level: 20, expires_at: inAMonth },
    ],
  ],
  read_code: ({ project }) => [
    [`POST /projects/${project}/repository/files/new.txt`, { branch: 'main', content: 'x', commit_message: 'New' }],
    `GET /projects/${project}/merge_requests`,
    `GET /projects/${project}/variables`,
  ],
  read_runners: ({ runner, groupRunner }) => [
    [`PUT /runners/${runner}`, { description: 'changed' }],
    [`PUT /runners/${groupRunner}`, { description: 'changed' }],
    `DELETE /runners/${runner}`,
  ],
  remove_group: ({ group }) => [`DELETE /groups/${group}`],
};

const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const rules: AbilityRule[] = [...Object.values(projectAbilities), ...Object.values(groupAbilities)];
const effective = permissionNames.filter((name) => rules.some(({ custom }) => custom?.includes(name)));

/** Every permission that grants nothing of what this one does. */
function allBut(permission: CustomPermission): CustomPermission[] {
  const near = rules.flatMap(({ custom }) => (custom?.includes(permission) ? custom : []));
  return permissionNames.filter((name) => name !== permission && !near.includes(name));
}

describe('permissions of custom roles', () => {
  it('act, or belong to features that do not exist here', () => {
    for (const name of permissionNames) {
      const { withoutFeature }: PermissionDefinition = customPermissions[name];
      assert.equal(effective.includes(name), withoutFeature === undefined, name);
    }
    assert.deepEqual(Object.keys(allowed).sort(), [...effective].sort());
  });
});

forEachEngine((engine) => {
  describe('permissions of custom roles', () => {
    let server: TestServer;
    let fixed: Omit<About, 'n' | 'spare' | 'subgroup' | 'user'>;
    let plain: string;
    let n = 0;

    const roleWith = async (permissions: readonly CustomPermission[], base = 10) => {
      const flags = Object.fromEntries(permissions.map((name) => [name, true]));
      const json = { name: `Role ${++n}`, base_access_level: base, ...flags };
      return (await server.must('POST /member_roles', { json })).id as number;
    };
    const member = async (role: number | undefined, level = 10) => {
      const { id, token } = await addUser(server, 'member');
      const json = { user_id: id, access_level: level, member_role_id: role };
      await server.must(`POST /groups/${fixed.group}/members`, { json });
      return token;
    };
    /** The fixed places, with new ones for calls that change or delete them. */
    const about = async (): Promise<About> => {
      const name = `spare-${++n}`;
      const spare = await server.must('POST /projects', { json: { name, namespace_id: fixed.group } });
      const subgroup = await server.must('POST /groups', { json: { name, path: `sub-${n}`, parent_id: fixed.group } });
      const { id: user } = await addUser(server);
      return { ...fixed, spare: spare.id, subgroup: subgroup.id, user, n };
    };
    const statuses = async (calls: ReturnType<Calls>, token: string) => {
      const seen: [string, number][] = [];
      for (const call of calls) {
        const [name, json] = typeof call === 'string' ? [call, undefined] : call;
        const answer = await server.api(name, { token, ...(json && { json }) });
        seen.push([`${name} ${answer.status < 300 ? '' : answer.text}`, answer.status]);
      }
      return seen;
    };
    const succeed = (seen: [string, number][]) => {
      for (const [call, status] of seen) assert.ok(status >= 200 && status < 300, `${status} ${call}`);
    };
    const fail = (seen: [string, number][]) => {
      for (const [call, status] of seen) assert.ok([400, 401, 403, 404].includes(status), `${status} ${call}`);
    };

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'Held', path: 'held', visibility: 'private' } });
      const project = await server.must('POST /projects', {
        json: { name: 'code', namespace_id: group.id, visibility: 'private', initialize_with_readme: true },
      });
      const commit = {
        branch: 'topic',
        start_branch: 'main',
        commit_message: 'Add',
        actions: [{ action: 'create', file_path: 'a.txt', content: 'hello\n' }],
      };
      await server.must(`POST /projects/${project.id}/repository/commits`, { json: commit });
      const request = await server.must(`POST /projects/${project.id}/merge_requests`, {
        json: { source_branch: 'topic', target_branch: 'main', title: 'Add' },
      });
      const runner = (json: object) => server.must('POST /user/runners', { json });
      fixed = {
        group: group.id,
        project: project.id,
        request: request.iid,
        runner: (await runner({ runner_type: 'project_type', project_id: project.id })).id,
        groupRunner: (await runner({ runner_type: 'group_type', group_id: group.id })).id,
      };
      plain = await member(undefined);
    });

    for (const permission of effective) {
      it(`${permission} is granted by itself, and by no other`, async () => {
        const calls = allowed[permission] as Calls;
        fail(await statuses(calls(await about()), plain));
        fail(await statuses(calls(await about()), await member(await roleWith(allBut(permission)))));
        const token = await member(await roleWith([permission]));
        succeed(await statuses(calls(await about()), token));
        const near = refused[permission];
        if (near) fail(await statuses(near(await about()), token));
      });
    }

    it('needs a token with the scope, and an account that is not blocked', async () => {
      const role = await roleWith(['admin_cicd_variables']);
      const call = (token: string) => server.api(`GET /projects/${fixed.project}/variables`, { token });
      const write = (token: string) =>
        server.api(`POST /projects/${fixed.project}/variables`, { token, json: { key: 'OF_READER', value: 'v' } });
      const user = await addUser(server, 'reader', ['read_api']);
      const json = { user_id: user.id, access_level: 10, member_role_id: role };
      await server.must(`POST /groups/${fixed.group}/members`, { json });
      assert.equal((await call(user.token)).status, 200);
      assert.equal((await write(user.token)).status, 403);
      await server.must(`POST /users/${user.id}/block`);
      assert.ok([401, 403].includes((await call(user.token)).status));
      const outsider = await addUser(server);
      assert.equal((await call(outsider.token)).status, 404);
    });

    it('leaves confidential issues and internal notes alone', async () => {
      const token = await member(await roleWith(permissionNames));
      const base = `/projects/${fixed.project}/issues`;
      const issue = await server.must(`POST ${base}`, { json: { title: 'Secret', confidential: true } });
      assert.equal((await server.api(`GET ${base}/${issue.iid}`, { token })).status, 404);
      const open = await server.must(`POST ${base}`, { json: { title: 'Open' } });
      await server.must(`POST ${base}/${open.iid}/notes`, { json: { body: 'between us', internal: true } });
      assert.deepEqual(await server.must(`GET ${base}/${open.iid}/notes`, { token }), []);
    });

    it('adds to every base role', async () => {
      for (const level of [10, 15, 20, 30, 40, 50]) {
        const token = await member(await roleWith(['admin_web_hook'], level), level);
        assert.equal((await server.api(`GET /groups/${fixed.group}/hooks`, { token })).status, 200, `${level}`);
        const project = await server.must(`GET /projects/${fixed.project}`, { token });
        assert.equal(project.permissions.group_access.access_level, level);
      }
    });
  });
});
