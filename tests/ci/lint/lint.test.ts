import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

/** Attempts to read variables through lint: printed by a job, and guessed by rules. */
const configuration = `
spec: {inputs: {told: {default: "$PLAIN"}}}
---
print: {script: "echo $[[ inputs.told | expand_vars ]]"}
right: {script: make, rules: [{if: '$MASKED =~ /^hunter/'}]}
wrong: {script: make, rules: [{if: '$MASKED =~ /^rabbit/'}]}
kept: {script: make, rules: [{if: $KEPT}]}
guarded: {script: make, rules: [{if: '$CI_COMMIT_REF_PROTECTED == "true"'}]}
`;

forEachEngine((engine) => {
  describe('variables exposed by CI lint', () => {
    let fixture: ProjectWithRoles;
    const lint = (query: string, token: string | null) =>
      fixture.server.api(`GET ${fixture.base}/ci/lint?include_jobs=true&${query}`, { token });
    const names = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name);

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'looked-at', source);
      const { base, asOwner } = fixture;
      await asOwner(`PUT ${base}`, { json: { visibility: 'public' } });
      for (const json of [
        { key: 'PLAIN', value: 'plain-secret' },
        { key: 'MASKED', value: 'hunter2hunter2', masked: true },
        { key: 'KEPT', value: 'kept-secret', protected: true },
      ]) {
        assert.equal((await asOwner(`POST ${base}/variables`, { json })).status, 201);
      }
      const rule = { name: 'main', push_access_level: 40, merge_access_level: 40 };
      await asOwner(`POST ${base}/protected_branches`, { json: rule });
    });

    it('exposes none to users who cannot run pipelines', async () => {
      for (const token of [null, fixture.guest.token, fixture.reporter.token]) {
        const plain = await lint('', token);
        assert.deepEqual([plain.status, plain.body.valid], [200, true]);
        assert.doesNotMatch(plain.text, /plain-secret/);
        assert.match(plain.body.merged_yaml, /echo \$PLAIN/);
        const dry = await lint('dry_run=true', token);
        const refusal = ['Insufficient permissions to create a new pipeline'];
        assert.deepEqual([dry.body.valid, dry.body.errors, dry.body.jobs], [false, refusal, undefined]);
      }
    });

    it('exposes to Developers what their jobs could read on an own branch', async () => {
      const { body } = await lint('dry_run=true', fixture.developer.token);
      assert.deepEqual(names(body.jobs), ['print', 'right', 'guarded']);
      assert.match(body.merged_yaml, /plain-secret/);
    });

    it('ignores wildcard includes without matching files', async () => {
      const json = { content: 'include: none/*.yml\ntest: {script: make}', include_jobs: true };
      const { body } = await fixture.server.api(`POST ${fixture.base}/ci/lint`, {
        token: fixture.developer.token,
        json,
      });
      assert.deepEqual([body.errors, names(body.jobs)], [[], ['test']]);
    });

    it('fails a dry run on a branch that does not exist', async () => {
      const dry = await lint('dry_run=true&dry_run_ref=none', fixture.developer.token);
      assert.deepEqual([dry.status, dry.body.valid, dry.body.errors], [200, false, ['Reference not found']]);
    });
  });
});
