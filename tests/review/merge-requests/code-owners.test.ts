import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('code owners', () => {
    let scene: ReviewScene;

    const name = ({ user }: Person) => user.username;
    const status = async (iid: number) =>
      (await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body.detailed_merge_status;
    const state = async (iid: number) => (await scene.api(scene.owner, `GET ${scene.base}/${iid}/approval_state`)).body;
    const approve = (person: Person, iid: number) => scene.api(person, `POST ${scene.base}/${iid}/approve`);
    const protection = (json: Record<string, unknown>) =>
      scene.server.must(`PATCH /projects/${scene.project.id}/protected_branches/main`, {
        token: scene.owner.token,
        json,
      });
    const settings = (json: Record<string, unknown>) =>
      scene.server.must(`POST /projects/${scene.project.id}/approvals`, { token: scene.owner.token, json });
    const pushTo = async (branch: string, file: string, content: string) => {
      await scene.git.git('checkout', '-q', branch);
      await scene.git.commit({ [file]: content });
      await scene.push(scene.owner, branch);
    };

    before(async () => {
      scene = await reviewScene(engine);
      const owners = [
        `*.md @${name(scene.developer)}`,
        `/secret/ @${name(scene.outsider)} @anonymous`,
        `[Ruby][2] @@owners ${scene.owner.user.email.toUpperCase()}`,
        '*.rb',
        '!/gen/',
        `^[Perhaps] @${name(scene.developer).toUpperCase()}`,
        '*.txt',
      ];
      await pushTo('main', '.gitlab/CODEOWNERS', `${owners.join('\n')}\n`);
    });

    it('are requested for changed files, but only required if the branch requires it', async () => {
      await scene.branch('docs', 'docs/a.md', 'a');
      const { iid } = await scene.open(scene.developer, 'docs');
      const { rules, approval_rules_overwritten } = await state(iid);
      assert.equal(approval_rules_overwritten, false);
      assert.equal(rules.length, 1);
      const [rule] = rules;
      assert.deepEqual(
        [rule.name, rule.rule_type, rule.section, rule.code_owner, rule.approvals_required, rule.approved],
        ['*.md', 'code_owner', 'codeowners', true, 0, true],
      );
      assert.deepEqual(
        rule.eligible_approvers.map(({ username }: { username: string }) => username),
        [name(scene.developer)],
      );
      assert.equal(await status(iid), 'mergeable');
      await protection({ code_owner_approval_required: true });
      assert.equal(await status(iid), 'not_approved');
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`)).status, 405);
      await approve(scene.owner, iid);
      assert.equal(await status(iid), 'not_approved', 'another user approved');
      await approve(scene.developer, iid);
      assert.equal(await status(iid), 'mergeable');
      assert.deepEqual(
        (await state(iid)).rules[0].approved_by.map(({ username }: { username: string }) => username),
        [name(scene.developer)],
      );
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`)).status, 200);
    });

    it('have rules that cannot be changed manually', async () => {
      await scene.branch('fixed', 'docs/fixed.md', 'a');
      const { iid } = await scene.open(scene.developer, 'fixed');
      const [rule] = (await scene.api(scene.owner, `GET ${scene.base}/${iid}/approval_rules`)).body;
      const one = `${scene.base}/${iid}/approval_rules/${rule.id}`;
      assert.equal((await scene.api(scene.owner, `PUT ${one}`, { json: { approvals_required: 0 } })).status, 403);
      assert.equal((await scene.api(scene.owner, `DELETE ${one}`)).status, 403);
      assert.equal(await status(iid), 'not_approved');
    });

    it('without approval permission are neither required nor shown', async () => {
      await scene.branch('secret', 'secret/x', 'x');
      const { iid } = await scene.open(scene.developer, 'secret');
      const { rules } = await state(iid);
      assert.deepEqual([rules[0].name, rules[0].eligible_approvers, rules[0].approved], ['/secret/', [], true]);
      assert.equal(await status(iid), 'mergeable');
    });

    it('of a section approve in the configured number, up to the number of owners, and never for optional ones', async () => {
      await scene.branch('ruby', 'a.rb', 'a');
      const { iid } = await scene.open(scene.developer, 'ruby');
      const [rule] = (await state(iid)).rules;
      assert.deepEqual([rule.section, rule.approvals_required, rule.eligible_approvers.length], ['Ruby', 2, 1]);
      await approve(scene.owner, iid);
      assert.equal(await status(iid), 'mergeable');
      await scene.branch('perhaps', 'a.txt', 'a');
      const second = await scene.open(scene.developer, 'perhaps');
      const [optional] = (await state(second.iid)).rules;
      assert.deepEqual([optional.section, optional.approvals_required, optional.approved], ['Perhaps', 0, true]);
      await scene.branch('generated', 'gen/a.rb', 'a');
      const third = await scene.open(scene.developer, 'generated');
      assert.deepEqual((await state(third.iid)).rules, []);
    });

    it('are updated by pushes to the source and to CODEOWNERS', async () => {
      await scene.branch('grows', 'plain.c', 'a');
      const { iid } = await scene.open(scene.developer, 'grows');
      assert.deepEqual((await state(iid)).rules, []);
      await pushTo('grows', 'b.rb', 'b');
      await scene.server.running.services.queue.drain();
      assert.deepEqual(
        (await state(iid)).rules.map(({ name }: { name: string }) => name),
        ['*.rb'],
      );
      const before = (await state(iid)).rules[0].id;
      await scene.api(scene.owner, `PUT ${scene.base}/${iid}`, { json: { title: 'Grown' } });
      await pushTo('grows', 'c.rb', 'c');
      await scene.server.running.services.queue.drain();
      assert.equal((await state(iid)).rules[0].id, before, 'an unchanged rule keeps its ID');
    });

    it('lose their approval if a push changes their files, and others do not', async () => {
      await settings({ reset_approvals_on_push: false, selective_code_owner_removals: true });
      await scene.branch('both', 'x.rb', 'x');
      await pushTo('both', 'x.md', 'x');
      const { iid } = await scene.open(scene.developer, 'both');
      await approve(scene.owner, iid);
      await approve(scene.developer, iid);
      const given = async () =>
        (await scene.api(scene.owner, `GET ${scene.base}/${iid}/approvals`)).body.approved_by.map(
          ({ user }: { user: { username: string } }) => user.username,
        );
      await pushTo('both', 'other.c', 'c');
      await scene.server.running.services.queue.drain();
      assert.deepEqual((await given()).sort(), [name(scene.developer), name(scene.owner)]);
      await pushTo('both', 'x.rb', 'y');
      await scene.server.running.services.queue.drain();
      assert.deepEqual(await given(), [name(scene.developer)]);
    });

    it('exclude authors whose approval does not count', async () => {
      await settings({ merge_requests_author_approval: false });
      await scene.branch('own', 'own.md', 'x');
      const { iid } = await scene.open(scene.developer, 'own');
      assert.equal(await status(iid), 'mergeable');
      assert.deepEqual((await state(iid)).rules[0].eligible_approvers, []);
      await settings({ merge_requests_author_approval: true });
      assert.equal(await status(iid), 'not_approved');
    });

    it('are not required from users who can push to the branch directly', async () => {
      const { server, owner, project } = scene;
      const path = `${owner.user.username}/${project.path}`;
      await scene.git.git('fetch', '-q', withCredentials(server.url, path, owner.user.username, owner.token), 'main');
      await scene.git.git('checkout', '-q', '-B', 'main', 'FETCH_HEAD');
      await scene.git.commit({ 'direct.md': 'x' });
      await assert.rejects(scene.push(scene.developer, 'main'), /protected/);
      await scene.push(scene.owner, 'main');
      const file = `/projects/${scene.project.id}/repository/files/by-api.md`;
      const json = { branch: 'main', content: 'x', commit_message: 'x' };
      assert.equal((await scene.api(scene.developer, `POST ${file}`, { json })).status, 403);
      assert.equal((await scene.api(scene.owner, `POST ${file}`, { json })).status, 201);
    });
  });
});
