import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('approval settings', () => {
    let scene: ReviewScene;
    let place: string;

    const api = (call: string, json?: Record<string, unknown>) =>
      scene.api(scene.owner, call, json === undefined ? {} : { json });
    const status = async (iid: number) => (await api(`GET ${scene.base}/${iid}`)).body.detailed_merge_status;

    before(async () => {
      scene = await reviewScene(engine);
      place = `/projects/${scene.project.id}`;
      await scene.branch('topic', 'a.txt', 'a');
      await scene.open(scene.developer, 'topic');
    });

    it('of a project are available under both resources', async () => {
      const at = `${place}/merge_request_approval_setting`;
      const plain = { locked: false, inherited_from: null };
      const before_ = (await api(`GET ${at}`)).body;
      assert.deepEqual(before_, {
        allow_author_approval: { value: true, ...plain },
        allow_committer_approval: { value: true, ...plain },
        allow_overrides_to_approver_list_per_merge_request: { value: true, ...plain },
        retain_approvals_on_push: { value: false, ...plain },
        selective_code_owner_removals: { value: false, ...plain },
        require_password_to_approve: { value: false, ...plain },
        require_reauthentication_to_approve: { value: false, ...plain },
      });
      const set = await api(`PUT ${at}`, { allow_author_approval: false, retain_approvals_on_push: true });
      assert.deepEqual([set.status, set.body.allow_author_approval.value], [200, false]);
      const other = (await api(`GET ${place}/approvals`)).body;
      assert.deepEqual([other.merge_requests_author_approval, other.reset_approvals_on_push], [false, false]);
      assert.equal((await scene.api(scene.developer, `GET ${at}`)).status, 403);
      assert.equal(
        (await scene.api(scene.developer, `PUT ${at}`, { json: { allow_author_approval: true } })).status,
        403,
      );
      const empty = await api(`PUT ${at}`, {});
      assert.equal(empty.status, 400);
      await api(`PUT ${at}`, { allow_author_approval: true, retain_approvals_on_push: false });
    });

    it('drop approvals of users who push later, if committers may not approve', async () => {
      const { developer, owner, base } = scene;
      const settings = (json: Record<string, unknown>) => api(`POST ${place}/approvals`, json);
      await settings({ reset_approvals_on_push: false, merge_requests_disable_committers_approval: true });
      const foreign = { author_name: 'Somebody', author_email: 'somebody@example.org' };
      await scene.branch('pushed', 'pushed.txt', 'p');
      const { iid } = await scene.open(owner, 'pushed');
      const approve = (person = developer) => scene.api(person, `POST ${base}/${iid}/approve`);
      const given = async () => {
        await scene.server.running.services.queue.drain();
        return (await api(`GET ${base}/${iid}/approvals`)).body.approved_by.length;
      };
      const write = (person: typeof owner, file: string, more: object = {}) =>
        scene.server.must(`POST ${place}/repository/files/${file}`, {
          token: person.token,
          json: { branch: 'pushed', content: file, commit_message: file, ...more },
        });
      assert.equal((await approve()).status, 201);
      await write(owner, 'by-owner');
      assert.equal(await given(), 1, 'another user pushed');
      await write(owner, 'for-developer', { author_name: 'D', author_email: developer.user.email });
      assert.equal(await given(), 0, 'the approver is a committer');
      assert.equal((await approve()).status, 403);
      await scene.branch('other', 'other.txt', 'o');
      const second = await scene.open(owner, 'other');
      assert.equal((await scene.api(developer, `POST ${base}/${second.iid}/approve`)).status, 201);
      await scene.server.must(`POST ${place}/repository/files/forged`, {
        token: developer.token,
        json: { branch: 'other', content: 'x', commit_message: 'x', ...foreign },
      });
      await scene.server.running.services.queue.drain();
      const after = (await api(`GET ${base}/${second.iid}/approvals`)).body;
      assert.deepEqual(after.approved_by, [], 'the approver pushed');
      await settings({ reset_approvals_on_push: true, merge_requests_disable_committers_approval: false });
    });

    it('are restricted by instance settings', async () => {
      const { server, owner, base } = scene;
      const at = `${place}/merge_request_approval_setting`;
      const instance = (json: Record<string, boolean>) => server.must('PUT /application/settings', { json });
      const names = {
        prevent_merge_requests_author_approval: 'allow_author_approval',
        prevent_merge_requests_committers_approval: 'allow_committer_approval',
        disable_overriding_approvers_per_merge_request: 'allow_overrides_to_approver_list_per_merge_request',
      };
      for (const [name, shown] of Object.entries(names)) {
        await instance({ [name]: true });
        const locked = { value: false, locked: true, inherited_from: 'instance' };
        assert.deepEqual((await api(`GET ${at}`)).body[shown], locked);
        assert.deepEqual((await api(`PUT ${at}`, { [shown]: true })).body[shown], locked);
      }
      await scene.branch('own', 'own.txt', 'own');
      const own = await scene.open(owner, 'own');
      assert.equal((await api(`POST ${base}/${own.iid}/approve`)).status, 403);
      assert.equal((await api(`POST ${base}/${own.iid}/approvals`, { approvals_required: 2 })).status, 403);
      await instance(Object.fromEntries(Object.keys(names).map((name) => [name, false])));
      const requested = await api(`POST ${base}/${own.iid}/approvals`, { approvals_required: 1 });
      assert.deepEqual(
        [requested.status, requested.body.approvals_required, requested.body.approvals_left],
        [201, 1, 1],
      );
      assert.equal(await status(own.iid), 'not_approved');
      assert.equal((await api(`POST ${base}/${own.iid}/approve`)).status, 201);
      assert.equal(await status(own.iid), 'mergeable');
      assert.equal((await api(`POST ${base}/${own.iid}/approvals`, { approvals_required: -1 })).status, 400);
      const outside = await scene.api(scene.reporter, `POST ${base}/${own.iid}/approvals`, {
        json: { approvals_required: 0 },
      });
      assert.equal(outside.status, 403);
    });

    it('group approval rules apply to protected branches of projects', async () => {
      const { server, owner, developer } = scene;
      const top = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Ruled', path: `ruled-${engine}` },
      });
      const inside = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Inside', path: 'inside', parent_id: top.id },
      });
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'below', namespace_id: inside.id, initialize_with_readme: true },
      });
      await server.must(`POST /projects/${project.id}/members`, {
        token: owner.token,
        json: { user_id: developer.user.id, access_level: 30 },
      });
      for (const branch of ['one', 'stable']) {
        await server.must(`POST /projects/${project.id}/repository/branches`, {
          token: owner.token,
          json: { branch, ref: 'main' },
        });
      }
      await server.must(`POST /projects/${project.id}/repository/files/a.txt`, {
        token: owner.token,
        json: { branch: 'one', content: 'a', commit_message: 'Write' },
      });
      const base = `/projects/${project.id}/merge_requests`;
      const open = (target_branch: string) =>
        server.must(`POST ${base}`, {
          token: owner.token,
          json: { title: 'One', source_branch: 'one', target_branch },
        });
      const [guarded, free] = [await open('main'), await open('stable')];
      const at = `/groups/${top.id}/approval_rules`;
      const wanted = { name: 'Security', approvals_required: 1, user_ids: [developer.user.id] };
      const made = await api(`POST ${at}`, wanted);
      assert.equal(made.status, 201, made.text);
      const shown = {
        id: made.body.id,
        name: 'Security',
        rule_type: 'regular',
        approvals_required: 1,
        groups: [],
        contains_hidden_groups: false,
        report_type: null,
        protected_branches: [],
        applies_to_all_protected_branches: true,
      };
      const { eligible_approvers, users, ...rest } = made.body;
      assert.deepEqual(rest, shown);
      const names = (people: { username: string }[]) => people.map(({ username }) => username);
      assert.deepEqual(
        [names(eligible_approvers), names(users)],
        [[developer.user.username], [developer.user.username]],
      );
      assert.deepEqual((await api(`GET ${at}/${made.body.id}`)).body, made.body);
      assert.equal((await api(`GET ${at}/${made.body.id + 1}`)).status, 404);
      assert.equal((await scene.api(developer, `GET ${at}/${made.body.id}`)).status, 403);
      const stateOf = async (iid: number) => (await api(`GET ${base}/${iid}`)).body.detailed_merge_status;
      assert.equal(await stateOf(guarded.iid), 'not_approved');
      assert.equal(await stateOf(free.iid), 'mergeable');
      const rules = (await api(`GET ${base}/${guarded.iid}/approval_rules`)).body;
      assert.deepEqual([rules.length, rules[0].name], [1, 'Security']);
      // A group rule cannot be changed by a merge request.
      const path = `${base}/${guarded.iid}/approval_rules/${made.body.id}`;
      assert.equal((await api(`PUT ${path}`, { approvals_required: 0 })).status, 404);
      assert.equal((await scene.api(developer, `POST ${base}/${guarded.iid}/approve`)).status, 201);
      assert.equal(await stateOf(guarded.iid), 'mergeable');

      const changed = await api(`PUT ${at}/${made.body.id}`, { approvals_required: 2 });
      assert.deepEqual([changed.status, changed.body.approvals_required, changed.body.users], [200, 2, []]);
      const listed = await api(`GET ${at}?per_page=1`);
      assert.deepEqual([listed.body.length, listed.headers.get('x-total')], [1, '1']);

      assert.equal((await scene.api(developer, `GET ${at}`)).status, 403);
      assert.equal((await scene.api(scene.outsider, `GET ${at}`)).status, 404);
      assert.equal((await scene.api(null, `POST ${at}`, { json: wanted })).status, 401);
      assert.equal((await api(`PUT ${at}/999999`, { name: 'x' })).status, 404);
      assert.equal((await api(`POST ${at}`, { ...wanted, approvals_required: 101 })).status, 400);
      assert.equal((await api(`POST ${at}`, { name: 'x' })).status, 400);
    });

    it('of a group are enforced on its projects', async () => {
      const { server, owner, developer } = scene;
      const [top, sub] = [
        await server.must('POST /groups', { token: owner.token, json: { name: 'Top', path: `top-${engine}` } }),
        await server.must('POST /groups', {
          token: owner.token,
          json: { name: 'Sub', path: `sub-${engine}` },
        }),
      ];
      const inside = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Inside', path: 'inside', parent_id: top.id },
      });
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'below', namespace_id: inside.id, initialize_with_readme: true },
      });
      const ofGroup = (id: number) => `/groups/${id}/merge_request_approval_setting`;
      const set = await api(`PUT ${ofGroup(top.id)}`, { allow_author_approval: false });
      assert.deepEqual(
        [set.status, set.body.allow_author_approval],
        [200, { value: false, locked: false, inherited_from: null }],
      );
      assert.equal(set.body.retain_approvals_on_push.value, true);
      assert.deepEqual((await api(`GET ${ofGroup(inside.id)}`)).body.allow_author_approval, {
        value: false,
        locked: true,
        inherited_from: 'group',
      });
      assert.equal((await api(`GET ${ofGroup(sub.id)}`)).body.allow_author_approval.value, true);
      const at = `/projects/${project.id}/merge_request_approval_setting`;
      const loosened = await api(`PUT ${at}`, { allow_author_approval: true });
      assert.deepEqual(loosened.body.allow_author_approval, { value: false, locked: true, inherited_from: 'group' });
      assert.equal((await api(`GET /projects/${project.id}/approvals`)).body.merge_requests_author_approval, false);
      assert.equal((await scene.api(developer, `GET ${ofGroup(top.id)}`)).status, 404);
      await server.must(`POST /groups/${top.id}/members`, {
        token: owner.token,
        json: { user_id: developer.user.id, access_level: 40 },
      });
      assert.equal((await scene.api(developer, `GET ${ofGroup(top.id)}`)).status, 403);
      const file = `/projects/${project.id}/repository/files/x.txt`;
      await server.must(`POST ${file}`, {
        token: owner.token,
        json: { branch: 'x', start_branch: 'main', content: 'x', commit_message: 'x' },
      });
      const { iid } = await server.must(`POST /projects/${project.id}/merge_requests`, {
        token: owner.token,
        json: { source_branch: 'x', target_branch: 'main', title: 'x' },
      });
      assert.equal((await api(`POST /projects/${project.id}/merge_requests/${iid}/approve`)).status, 403);
    });

    it('approval rules apply only to their branches', async () => {
      const [main] = (await api(`GET ${place}/protected_branches`)).body;
      const rule = { name: 'Release', approvals_required: 1, user_ids: [scene.owner.user.id] };
      const other = await api(`POST ${place}/protected_branches`, { name: 'release/*' });
      const unknown = await api(`POST ${place}/approval_rules`, { ...rule, protected_branch_ids: [999_999] });
      assert.equal(unknown.status, 400);
      const made = await api(`POST ${place}/approval_settings/rules`, {
        ...rule,
        protected_branch_ids: [other.body.id],
      });
      assert.deepEqual([made.status, made.body.protected_branches[0].name], [201, 'release/*']);
      assert.equal(await status(1), 'mergeable', 'the rule applies to other branches');
      const one = `${place}/approval_settings/rules/${made.body.id}`;
      assert.deepEqual((await api(`GET ${place}/approval_settings?target_branch=main`)).body.rules, []);
      assert.equal((await api(`GET ${place}/approval_settings?target_branch=release/1`)).body.rules.length, 1);
      const changed = await api(`PUT ${one}`, { user_ids: rule.user_ids, protected_branch_ids: [main.id] });
      assert.deepEqual([changed.status, changed.body.protected_branches[0].name], [200, 'main']);
      assert.equal(await status(1), 'not_approved');
      await api(`PUT ${one}`, {
        user_ids: rule.user_ids,
        protected_branch_ids: [],
        applies_to_all_protected_branches: true,
      });
      assert.equal(await status(1), 'not_approved');
      const seen = await api(`GET ${scene.base}/1/approval_rules/${made.body.id}`);
      assert.deepEqual([seen.status, seen.body.name], [200, 'Release']);
      assert.equal((await api(`GET ${scene.base}/1/approval_rules/999999`)).status, 404);
      assert.equal((await api(`DELETE ${one}`)).status, 204);
      assert.equal(await status(1), 'mergeable');
      assert.equal((await scene.api(scene.reporter, `GET ${place}/approval_settings`)).status, 403);
    });

    it('return the rules of a merge request, and those for another target branch', async () => {
      const { developer, outsider } = scene;
      const other = await api(`POST ${place}/protected_branches`, { name: 'next/*' });
      const rule = { name: 'Next', approvals_required: 1, user_ids: [developer.user.id] };
      const made = await api(`POST ${place}/approval_rules`, { ...rule, protected_branch_ids: [other.body.id] });
      const at = `${scene.base}/1/approval_settings`;
      assert.deepEqual((await api(`GET ${at}`)).body, {
        approval_rules_overwritten: false,
        rules: [],
        fallback_approvals_required: 0,
      });
      const next = await scene.api(developer, `GET ${at}?target_branch=next/1`);
      assert.deepEqual([next.status, next.body.rules.length, next.body.rules[0].id], [200, 1, made.body.id]);
      assert.equal((await scene.api(null, `GET ${at}`)).status, 401);
      assert.equal((await scene.api(outsider, `GET ${at.replace('/1/', '/999/')}`)).status, 404);
      await api(`DELETE ${place}/approval_rules/${made.body.id}`);
    });

    it('rules hide groups that the caller cannot see, and keep them on updates', async () => {
      const { server, owner, developer, outsider } = scene;
      const json = { name: 'Secret', path: `secret-${engine}`, visibility: 'private' };
      const secret = await server.must('POST /groups', { token: owner.token, json });
      const rule = { name: 'Them', approvals_required: 1, group_ids: [secret.id] };
      const at = `${scene.base}/1/approval_rules`;
      const blind = await scene.api(developer, `POST ${at}`, { json: rule });
      assert.equal(blind.status, 201, blind.text);
      assert.deepEqual(
        [blind.body.groups, blind.body.eligible_approvers, blind.body.contains_hidden_groups],
        [[], [], false],
      );
      await api(`DELETE ${at}/${blind.body.id}`);
      const made = await api(`POST ${at}`, rule);
      const [listed] = await server.must(`GET /groups?search=${secret.path}`, { token: owner.token });
      assert.deepEqual([made.body.groups, made.body.contains_hidden_groups], [[listed], false]);
      for (const person of [developer, outsider]) {
        const { body } = await scene.api(person, `GET ${at}/${made.body.id}`);
        assert.deepEqual([body.groups, body.contains_hidden_groups], [[], true]);
        const state = (await scene.api(person, `GET ${scene.base}/1/approval_state`)).text;
        assert.doesNotMatch(state, /Secret/);
      }
      const changed = await scene.api(developer, `PUT ${at}/${made.body.id}`, { json: { name: 'Still' } });
      assert.deepEqual([changed.status, changed.body.contains_hidden_groups], [200, true]);
      assert.equal((await api(`GET ${at}/${made.body.id}`)).body.groups[0].id, secret.id);
      const many = await api(`POST ${at}`, { ...rule, user_ids: Array.from({ length: 40_000 }, (_, n) => n + 1) });
      assert.equal(many.status, 400, many.text);
      await api(`DELETE ${at}/${made.body.id}`);
    });

    it('a merge request may require more approvals than its project', async () => {
      const set = await api(`PUT ${scene.base}/1`, { approvals_before_merge: 1 });
      assert.deepEqual([set.status, set.body.approvals_before_merge], [200, 1]);
      assert.equal(await status(1), 'not_approved');
      assert.equal((await api(`GET ${scene.base}/1/approvals`)).body.approvals_left, 1);
      assert.equal((await api(`PUT ${scene.base}/1`, { approvals_before_merge: 101 })).status, 400);
      await api(`PUT ${scene.base}/1`, { approvals_before_merge: 0 });
      assert.equal(await status(1), 'mergeable');
    });

    it('a project may require approvals if there is no rule', async () => {
      await api(`PUT ${place}`, { fallback_approvals_required: 1 });
      assert.equal(await status(1), 'not_approved');
      assert.equal((await api(`GET ${place}/approval_settings`)).body.fallback_approvals_required, 1);
      const rule = await api(`POST ${place}/approval_rules`, { name: 'Any', approvals_required: 0 });
      assert.equal(await status(1), 'mergeable', 'a rule requires none');
      await api(`DELETE ${place}/approval_rules/${rule.body.id}`);
      await api(`PUT ${place}`, { fallback_approvals_required: 0 });
      assert.equal(await status(1), 'mergeable');
    });

    it('context commits can be added, listed and removed', async () => {
      const { developer, reporter, owner } = scene;
      const at = `${scene.base}/1/context_commits`;
      const sha = (await scene.git.git('rev-parse', 'main')).trim();
      assert.deepEqual((await scene.api(reporter, `GET ${at}`)).body, []);
      assert.equal((await scene.api(null, `POST ${at}`, { json: { commits: [sha] } })).status, 401);
      assert.equal((await scene.api(reporter, `POST ${at}`, { json: { commits: [sha] } })).status, 403);
      const added = await scene.api(developer, `POST ${at}`, { json: { commits: [sha] } });
      assert.deepEqual([added.status, added.body[0].id], [201, sha]);
      const again = await scene.api(developer, `POST ${at}`, { json: { commits: [sha] } });
      assert.deepEqual(
        [again.status, again.body],
        [400, { message: `Context commits: ["${sha}"] are already created` }],
      );
      const many = Array.from({ length: 21 }, (_, n) => `${n}`.padStart(40, '0'));
      assert.equal((await scene.api(developer, `POST ${at}`, { json: { commits: many } })).status, 400);
      assert.equal((await scene.api(developer, `POST ${at}`, { json: { commits: ['f'.repeat(40)] } })).status, 400);
      assert.equal((await scene.api(developer, `POST ${at}`, { json: {} })).status, 400);
      assert.equal((await api(`GET ${at}`)).body.length, 1);
      assert.equal((await scene.api(developer, `DELETE ${at}?commits[]=${sha}`)).status, 403);
      assert.equal((await scene.api(owner, `DELETE ${at}?commits[]=${'f'.repeat(40)}`)).status, 400);
      assert.equal((await scene.api(owner, `DELETE ${at}?commits[]=${sha}`)).status, 204);
      assert.deepEqual((await api(`GET ${at}`)).body, []);
    });
  });
});
