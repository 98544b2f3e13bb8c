import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { until } from '../../support/until.ts';

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

    it('hides masked values in the errors of includes and their locations', async () => {
      const { base, developer, guest, asDeveloper, asOwner, server } = fixture;
      const errorsOf = async (include: string) => {
        const content = `include: ${include}\ntest: {script: make}`;
        const { text, body } = await asDeveloper(`POST ${base}/ci/lint`, { json: { content } });
        assert.doesNotMatch(text, /hunter/);
        return body.errors;
      };
      assert.deepEqual(await errorsOf('$MASKED.txt'), [
        'Included file `[MASKED]xxxxxx.txt` does not have YAML extension!',
      ]);
      assert.deepEqual(await errorsOf('ci/$MASKED.yml'), ['Local file `ci/[MASKED]xxxxxx.yml` does not exist!']);
      assert.match((await errorsOf('{project: g/$MASKED, file: a.yml}'))[0], /^Project `g\/\[MASKED\]x{6}` not found/);

      const file = { branch: 'included', start_branch: 'main', commit_message: 'add', content: 'more: {script: make}' };
      const created = await asOwner(`POST ${base}/repository/files/hunter2hunter2%2Eyml`, { json: file });
      assert.equal(created.status, 201);
      const json = { content: 'include: $MASKED.yml', ref: 'included' };
      const { body } = await asDeveloper(`POST ${base}/ci/lint`, { json });
      assert.equal(body.valid, true);
      const [{ location, blob, raw }] = body.includes;
      assert.equal(location, '[MASKED]xxxxxx.yml');
      assert.match(blob, /\[MASKED\]xxxxxx\.yml$/);
      assert.match(raw, /\[MASKED\]xxxxxx\.yml$/);

      const wrong = { ...file, start_branch: 'main', branch: 'wrong', content: 'include: $MASKED.yml' };
      const pushed = await asDeveloper(`PUT ${base}/repository/files/%2Egitlab-ci%2Eyml`, { json: wrong });
      assert.equal(pushed.status, 200);
      const ofBranch = () => server.api(`GET ${base}/pipelines?ref=wrong`, { token: developer.token });
      await until(async () => (await ofBranch()).body.length === 1);
      const [pipeline] = (await ofBranch()).body;
      const shown = await server.api(`GET ${base}/pipelines/${pipeline.id}`, { token: guest.token });
      assert.equal(shown.body.yaml_errors, 'Local file `[MASKED]xxxxxx.yml` does not exist!');
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
