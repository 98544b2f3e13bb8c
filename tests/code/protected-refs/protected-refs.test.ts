import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import type { Project } from '../../../src/access/tables.ts';
import { branchAccess, effectivePushRule } from '../../../src/code/protected-refs/public.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, addProject, type Person, subjectFor } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let developer: Person;
  let guest: Person;
  let project: Project;
  let base: string;

  before(async () => {
    ({ server, owner, developer, guest, project, base } = await projectWithRoles(engine, 'p'));
  });

  it('protects branches for maintainers by default', async () => {
    const created = await server.api(`POST ${base}/protected_branches`, { json: { name: 'main' } });
    assert.equal(created.status, 201);
    const level = { access_level: 40, access_level_description: 'Maintainers', user_id: null, group_id: null };
    const { body } = created;
    assert.deepEqual(body, {
      id: body.id,
      name: 'main',
      push_access_levels: [{ id: body.push_access_levels[0].id, ...level, deploy_key_id: null }],
      merge_access_levels: [{ id: body.merge_access_levels[0].id, ...level }],
      allow_force_push: false,
      unprotect_access_levels: [{ id: body.unprotect_access_levels[0].id, ...level }],
      code_owner_approval_required: false,
      inherited: false,
    });
    assert.deepEqual(await server.must(`GET ${base}/protected_branches/main`), body);
    const again = await server.api(`POST ${base}/protected_branches`, { json: { name: 'main' } });
    assert.deepEqual([again.status, again.body], [409, { message: "Protected branch 'main' already exists" }]);
  });

  it('creates a rule and a grant only once for concurrent requests', async () => {
    await inRounds(async (round) => {
      const rule = `${base}/protected_branches`;
      const made = await atOnce(4, () => server.api(`POST ${rule}`, { json: { name: `raced-${round}` } }));
      assert.deepEqual(statuses(made), { 201: 1, 409: 3 });
      const json = { allowed_to_push: [{ access_level: 30 }] };
      const answers = await atOnce(4, () => server.api(`PATCH ${rule}/raced-${round}`, { json }));
      assert.deepEqual(statuses(answers), { 200: 1, 422: 3 });
      const late = await Promise.all([
        server.api(`DELETE ${rule}/raced-${round}`),
        server.api(`PATCH ${rule}/raced-${round}`, { json: { allowed_to_push: [{ access_level: 0 }] } }),
      ]);
      for (const { status } of late) assert.ok(status < 500, `${status}`);
    }, 4);
  });

  it('accepts wildcards, access levels and users', async () => {
    const json = {
      name: 'release/*',
      push_access_level: 0,
      merge_access_level: 30,
      allow_force_push: true,
      allowed_to_push: [{ user_id: developer.user.id }],
    };
    const created = await server.must(`POST ${base}/protected_branches`, { json });
    assert.deepEqual(
      created.push_access_levels.map((each: Record<string, unknown>) => [
        each.access_level,
        each.access_level_description,
        each.user_id,
      ]),
      [
        [0, 'No one', null],
        [null, 'developer', developer.user.id],
      ],
    );
    const name = encodeURIComponent('release/*');
    const changed = await server.must(`PATCH ${base}/protected_branches/${name}`, {
      json: {
        allow_force_push: false,
        allowed_to_push: [{ id: created.push_access_levels[0].id, _destroy: true }, { access_level: 40 }],
      },
    });
    assert.equal(changed.allow_force_push, false);
    assert.deepEqual(
      changed.push_access_levels.map((each: { access_level: number | null }) => each.access_level),
      [null, 40],
    );
    const access = await branchAccess(
      server.db.read,
      actorOnBehalfOf(developer.user),
      await subjectFor(server, developer, project),
    );
    assert.deepEqual(
      ['release/1', 'release/a/b', 'main', 'topic'].map((branch) => [
        access.isProtected(branch),
        access.canPush(branch),
        access.canMerge(branch),
      ]),
      [
        [true, true, true],
        [true, true, true],
        [true, false, false],
        [true, false, true],
      ],
    );
    const nothing = await server.api(`PATCH ${base}/protected_branches/main`, { json: { allow_force_push: null } });
    assert.deepEqual([nothing.status, nothing.body], [400, { error: 'allow_force_push is empty' }]);
    const found = await server.must(`GET ${base}/protected_branches?search=rel`);
    assert.deepEqual(
      found.map((each: { name: string }) => each.name),
      ['release/*'],
    );
  });

  it('updates only grants of the rule and rejects duplicates', async () => {
    const { push_access_levels, merge_access_levels } = await server.must(`POST ${base}/protected_branches`, {
      json: { name: 'levels', push_access_level: 30, merge_access_level: 40 },
    });
    const change = (json: object) => server.api(`PATCH ${base}/protected_branches/levels`, { json });
    const [push] = push_access_levels;
    const [merge] = merge_access_levels;
    for (const element of [{ access_level: 60 }, { _destroy: true }]) {
      const moved = await change({ allowed_to_push: [{ id: merge.id, ...element }] });
      assert.deepEqual([moved.status, moved.body], [404, { message: '404 Not found' }]);
    }
    const many = await change({ allowed_to_push: Array.from({ length: 1001 }, (_, id) => ({ user_id: id + 1 })) });
    assert.deepEqual(many.body, { message: ['Access levels total must be less than or equal to 1000'] });
    const again = await change({ allowed_to_push: [{ access_level: 30 }] });
    const text = 'Push access levels access level has already been taken';
    assert.deepEqual([again.status, again.body], [422, { message: [text] }]);
    const exchanged = await change({ allowed_to_push: [{ id: push.id, _destroy: true }, { access_level: 30 }] });
    assert.equal(exchanged.status, 200);
    assert.deepEqual(exchanged.body.merge_access_levels, merge_access_levels);
    await server.must(`DELETE ${base}/protected_branches/levels`);
  });

  it('rejects grants for holders without access to the project', async () => {
    const stranger = await addPerson(server, 'stranger');
    const noAccess = 'Cannot add users or groups unless they have access to the project';
    // The project is in the namespace of a user, which is no group.
    const { namespace } = await server.must(`GET ${base}`);
    assert.equal(namespace.kind, 'user');
    const cases: [unknown, unknown][] = [
      [{ user_id: stranger.user.id }, [noAccess]],
      [{ group_id: 999_999 }, [noAccess]],
      [{ group_id: namespace.id }, [noAccess]],
      [{ deploy_key_id: 1 }, ['Deploy key is not enabled for this project']],
    ];
    for (const [element, message] of cases) {
      const answer = await server.api(`POST ${base}/protected_branches`, {
        json: { name: 'x', allowed_to_push: [element] },
      });
      assert.deepEqual([answer.status, answer.body], [422, { message }]);
    }
    const blank = await server.api(`POST ${base}/protected_branches`, { json: { name: ' ' } });
    assert.deepEqual([blank.status, blank.body], [422, { message: ["Name can't be blank"] }]);
    const level = await server.api(`POST ${base}/protected_branches`, { json: { name: 'x', push_access_level: 35 } });
    assert.deepEqual([level.status, level.body], [400, { error: 'push_access_level does not have a valid value' }]);
    const none = await server.api(`POST ${base}/protected_branches`, { json: {} });
    assert.deepEqual([none.status, none.body], [400, { error: 'name is missing' }]);
  });

  it('shows rules to users who can read the code and requires maintainers to change them', async () => {
    const reads = await server.api(`GET ${base}/protected_branches`, { token: developer.token });
    assert.equal(reads.status, 200);
    assert.equal((await server.api(`GET ${base}/protected_branches`, { token: guest.token })).status, 403);
    assert.equal((await server.api(`GET ${base}/protected_branches`, { token: null })).status, 404);
    assert.equal(
      (await server.api(`POST ${base}/protected_branches`, { token: null, json: { name: 'x' } })).status,
      401,
    );
    const calls = ['DELETE protected_branches/main', 'GET protected_tags', 'GET push_rule', 'DELETE push_rule'];
    for (const call of calls) {
      const answer = await server.api(call.replace(' ', ` ${base}/`), { token: developer.token });
      assert.equal(answer.status, 403, call);
    }
    const creation = { token: developer.token, json: { name: 'x' } };
    assert.equal((await server.api(`POST ${base}/protected_branches`, creation)).status, 403);
    const missing = await server.api(`DELETE ${base}/protected_branches/none`);
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  });

  it('requires an unprotect grant to remove or update a rule', async () => {
    const json = { name: 'locked', unprotect_access_level: 60 };
    await server.must(`POST ${base}/protected_branches`, { json, token: owner.token });
    for (const method of ['DELETE', 'PATCH']) {
      const asOwner = { json: { allow_force_push: true }, token: owner.token };
      assert.equal((await server.api(`${method} ${base}/protected_branches/locked`, asOwner)).status, 403, method);
    }
    assert.equal((await server.api(`DELETE ${base}/protected_branches/locked`)).status, 204);
    assert.equal((await server.api(`GET ${base}/protected_branches/locked`)).status, 404);
  });

  it('protects tags', async () => {
    const created = await server.api(`POST ${base}/protected_tags`, { json: { name: 'v*', create_access_level: 30 } });
    assert.equal(created.status, 201);
    assert.deepEqual(
      [created.body.name, created.body.create_access_levels[0].access_level_description],
      ['v*', 'Developers + Maintainers'],
    );
    const again = await server.api(`POST ${base}/protected_tags`, { json: { name: 'v*' } });
    assert.deepEqual([again.status, again.body], [422, { message: ['Name has already been taken'] }]);
    assert.equal((await server.must(`GET ${base}/protected_tags`)).length, 1);
    assert.equal((await server.must(`GET ${base}/protected_tags/v%2A`)).name, 'v*');
    assert.equal((await server.api(`DELETE ${base}/protected_tags/v%2A`)).status, 204);
    assert.equal((await server.api(`DELETE ${base}/protected_tags/v%2A`)).status, 404);
  });

  it('answers 412 if a rule has changed since If-Unmodified-Since', async () => {
    const headers = { 'if-unmodified-since': new Date(0).toUTCString() };
    for (const kind of ['protected_branches', 'protected_tags']) {
      await server.must(`POST ${base}/${kind}`, { json: { name: 'seen' } });
      const stale = await server.api(`DELETE ${base}/${kind}/seen`, { headers });
      assert.deepEqual([stale.status, stale.body], [412, { message: '412 Precondition Failed' }], kind);
      assert.equal((await server.api(`DELETE ${base}/${kind}/seen`)).status, 204, kind);
    }
  });

  it('supports one push rule per project', async () => {
    const rule = `${base}/push_rule`;
    const none = await server.api(`GET ${rule}`);
    assert.deepEqual([none.status, none.text], [200, 'null']);
    assert.deepEqual((await server.api(`PUT ${rule}`, { json: { member_check: true } })).body, {
      message: '404 Push rule Not Found',
    });
    for (const method of ['POST', 'PUT']) {
      const nothing = await server.api(`${method} ${rule}`, { json: {} });
      assert.equal(nothing.status, 400);
      assert.match(nothing.body.error, /^deny_delete_tag, .* are missing, at least one parameter must be provided$/);
    }
    const bad = await server.api(`POST ${rule}`, { json: { commit_message_regex: '(' } });
    assert.equal(bad.status, 400);
    assert.match(bad.body.message.commit_message_regex[0], /^not valid RE2 syntax: /);
    const created = await server.api(`POST ${rule}`, { json: { commit_message_regex: 'x', deny_delete_tag: true } });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), [
      'id',
      'project_id',
      'created_at',
      'commit_message_regex',
      'commit_message_negative_regex',
      'branch_name_regex',
      'deny_delete_tag',
      'member_check',
      'prevent_secrets',
      'author_email_regex',
      'file_name_regex',
      'max_file_size',
      'commit_committer_check',
      'commit_committer_name_check',
      'reject_unsigned_commits',
      'reject_non_dco_commits',
    ]);
    assert.deepEqual(
      [created.body.deny_delete_tag, created.body.member_check, created.body.max_file_size],
      [true, false, 0],
    );
    const twice = await server.api(`POST ${rule}`, { json: { member_check: true } });
    assert.deepEqual([twice.status, twice.body], [422, { message: 'Project push rule exists' }]);
    const changed = await server.must(`PUT ${rule}`, { json: { commit_message_regex: '', max_file_size: 5 } });
    assert.deepEqual([changed.commit_message_regex, changed.max_file_size, changed.deny_delete_tag], ['', 5, true]);
    assert.equal((await server.api(`DELETE ${rule}`)).status, 204);
    assert.equal((await server.api(`DELETE ${rule}`)).status, 404);
  });

  it('applies group rules to the projects below', async () => {
    const group = await server.must('POST /groups', { json: { name: 'G', path: `g-${engine}` } });
    const inside = await server.must('POST /projects', { json: { name: 'inside', namespace_id: group.id } });
    await server.must(`POST /groups/${group.id}/protected_branches`, {
      json: { name: 'stable', push_access_level: 60 },
    });
    const none = await server.api(`GET /groups/${group.id}/push_rule`);
    assert.deepEqual([none.status, none.body], [404, { message: '404 Not Found' }]);
    await server.must(`POST /groups/${group.id}/push_rule`, { json: { max_file_size: 7 } });
    const [rule] = await server.must(`GET /projects/${inside.id}/protected_branches`);
    assert.deepEqual([rule.name, rule.inherited], ['stable', true]);
    assert.equal((await server.api(`DELETE /projects/${inside.id}/protected_branches/stable`)).status, 403);
    const row = await server.db.read
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', inside.id)
      .executeTakeFirstOrThrow();
    assert.equal((await effectivePushRule(server.db.read, row))?.max_file_size, 7);
    await server.must(`POST /projects/${inside.id}/push_rule`, { json: { max_file_size: 9 } });
    assert.equal((await effectivePushRule(server.db.read, row))?.max_file_size, 9);
    assert.equal((await server.api(`DELETE /groups/${group.id}/protected_branches/stable`)).status, 204);
  });

  it('lists rules in order of creation', async () => {
    const project = await addProject(server, owner, 'in-order');
    for (const kind of ['protected_branches', 'protected_tags']) {
      const url = `/projects/${project.id}/${kind}`;
      const before = (await server.must(`GET ${url}`)).map(({ name }: { name: string }) => name);
      for (const name of ['z', 'a']) await server.must(`POST ${url}`, { json: { name } });
      const names = (await server.must(`GET ${url}`)).map(({ name }: { name: string }) => name);
      assert.deepEqual(names, [...before, 'z', 'a'], kind);
    }
  });

  it('lists rules with a fixed number of queries', async () => {
    const many = await addProject(server, owner, 'many');
    const add = async (count: number) => {
      for (let n = 0; n < count; n++) {
        await server.must(`POST /projects/${many.id}/protected_branches`, { json: { name: `b${Math.random()}` } });
      }
    };
    const count = () => server.queriesOf(() => server.must(`GET /projects/${many.id}/protected_branches`));
    await add(2);
    await count();
    const few = await count();
    await add(4);
    assert.equal(await count(), few);
  });
});
