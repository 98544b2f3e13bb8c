import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ssh2 from 'ssh2';
import { openCommitSigner } from '../../../src/platform/git/signatures/commit-signer.ts';
import { verifySshSignature } from '../../../src/platform/git/signatures/ssh.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { missing } from '../../support/tools.ts';

describe('commit signing keys of the server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-signer-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are generated once, readable by the owner only', async () => {
    const path = join(folder, 'made');
    const made = [await openCommitSigner(path), await openCommitSigner(path)];
    const [one, two] = made.map(({ publicKeys }) => publicKeys.map(({ text }) => text));
    assert.deepEqual(one, two);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('sign with the first key and recognize signatures of the others', async () => {
    const path = join(folder, 'rotated');
    const old = await openCommitSigner(path);
    const oldKey = readFileSync(path, 'utf8');
    rmSync(path);
    await openCommitSigner(path);
    appendFileSync(path, oldKey);
    const signer = await openCommitSigner(path);
    assert.equal(signer.publicKeys.length, 2);
    const payload = Buffer.from('tree 1\n\nmessage\n');
    const { valid, key } = verifySshSignature(payload, signer.sign(payload));
    assert.deepEqual([valid, key?.text], [true, signer.publicKeys[0]?.text]);
    const before = verifySshSignature(payload, old.sign(payload)).key?.fingerprint ?? '';
    assert.ok(signer.isOwn(before));
    assert.equal(old.isOwn(key?.fingerprint ?? ''), false);
    assert.equal(verifySshSignature(Buffer.from('else'), signer.sign(payload)).valid, false);
  });

  const broken: [string, string, RegExp][] = [
    ['nothing', '', /holds no private key/],
    ['no key', 'hello', /holds no private key/],
    ['half a key', '-----BEGIN OPENSSH PRIVATE KEY-----\nbm8=\n-----END OPENSSH PRIVATE KEY-----\n', /cannot be read/],
    ['another kind', ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private, /Ed25519 keys, not by ecdsa/],
  ];
  for (const [what, text, said] of broken) {
    it(`reject a key file with ${what}`, async () => {
      const path = join(folder, what.replaceAll(' ', '-'));
      writeFileSync(path, text);
      await assert.rejects(openCommitSigner(path), said);
    });
  }
  it('reject a path in a missing folder', () =>
    assert.rejects(openCommitSigner(join(folder, 'no', 'key')), /cannot be opened/));
});

forEachEngine((engine) => {
  describe('commits created by the server', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-signing-'));
    let server: TestServer;
    let ann: Person;
    let project: { id: number; path_with_namespace: string };
    let key: string;

    after(() => rmSync(folder, { recursive: true, force: true }));
    before(async () => {
      server = await startTestServer(engine, ['--commit-signing-key', join(folder, 'key')]);
      ann = await addPerson(server, 'ann');
      const json = { name: 'signed', initialize_with_readme: true };
      project = await server.must('POST /projects', { token: ann.token, json });
      [{ public_key: key }] = await server.must('GET /web_commits/public_key', { token: null });
    });

    const post = (path: string, json: object) =>
      server.must(`POST /projects/${project.id}/${path}`, { token: ann.token, json });
    const commit = (branch: string, file_path: string, more: object = {}) =>
      post('repository/commits', {
        branch,
        commit_message: `Add ${file_path}`,
        actions: [{ action: 'create', file_path, content: 'x' }],
        ...more,
      });
    const signatureOf = async (sha: string) => {
      const answer = await server.api(`GET /projects/${project.id}/repository/commits/${sha}/signature`, ann);
      return answer.body;
    };
    const bySystem = {
      signature_type: 'SSH',
      verification_status: 'verified_system',
      key: null,
      commit_source: 'gitaly',
    };

    /** Creates and merges a merge request for a new branch. */
    async function merged(
      branch: string,
      more: object,
    ): Promise<{ merge_commit_sha: string; squash_commit_sha: string }> {
      await commit(branch, `${branch}.txt`, { start_branch: 'main' });
      await commit(branch, `${branch}-2.txt`);
      const json = { source_branch: branch, target_branch: 'main', title: branch };
      const { iid } = await post('merge_requests', json);
      await server.running.services.queue.drain();
      return server.must(`PUT /projects/${project.id}/merge_requests/${iid}/merge`, { token: ann.token, json: more });
    }

    it('are signed in every case', async () => {
      const first = (await server.must(`GET /projects/${project.id}/repository/commits`, ann)).at(-1);
      const { id } = await commit('main', 'a.txt');
      const { id: edited } = await post('repository/files/b.txt', {
        branch: 'main',
        content: 'b',
        commit_message: 'Add b',
      }).then(() => server.must(`GET /projects/${project.id}/repository/commits/main`, ann));
      const { id: reverted } = await post(`repository/commits/${edited}/revert`, { branch: 'main' });
      const { id: picked } = await post(`repository/commits/${edited}/cherry_pick`, { branch: 'main' });
      const { merge_commit_sha } = await merged('plain', {});
      const { squash_commit_sha } = await merged('squashed', { squash: true });
      const all = [first.id, id, edited, reverted, picked, merge_commit_sha, squash_commit_sha];
      for (const sha of all) assert.deepEqual(await signatureOf(sha), bySystem, sha);
      // The committer is still the user.
      const shown = await server.must(`GET /projects/${project.id}/repository/commits/${id}`, ann);
      assert.deepEqual([shown.committer_email, shown.author_email], [ann.user.email, ann.user.email]);
    });

    it('are verified by git with the public key from the API', { skip: missing('ssh-keygen') }, async () => {
      const client = new GitClient();
      const { username } = ann.user;
      await client.init();
      await client.git(
        'fetch',
        '-q',
        withCredentials(server.url, project.path_with_namespace, username, ann.token),
        'main',
      );
      const signers = join(client.folder, 'signers');
      writeFileSync(signers, `hearth namespaces="git" ${key}\n`);
      const verify = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit'];
      for (const revision of ['FETCH_HEAD', 'FETCH_HEAD~1', 'FETCH_HEAD^2']) {
        const { code, stderr } = await client.run(...verify, revision);
        assert.equal(code, 0, stderr);
        assert.match(stderr, /Good "git" signature for hearth/);
      }
      await client.git('fsck', '--strict');
    });

    it('are not attributed to a user who adds the public key', async () => {
      const { id } = await commit('main', 'c.txt');
      await server.must('POST /user/keys', {
        token: ann.token,
        json: { title: 'not mine', key, usage_type: 'signing' },
      });
      assert.deepEqual(await signatureOf(id), bySystem);
    });

    it('are shown as verified', async () => {
      const { id } = await commit('main', 'd.txt');
      await server.must(`PUT /projects/${project.id}`, { token: ann.token, json: { visibility: 'public' } });
      const page = await fetch(`${server.url}/${project.path_with_namespace}/-/commit/${id}`);
      assert.match(await page.text(), /badge-verified">verified</);
    });
  });

  describe('server without a signing key', () => {
    it('does not sign its commits', async () => {
      const server = await startTestServer(engine);
      const { status, body } = await server.api('GET /web_commits/public_key', { token: null });
      assert.deepEqual([status, body], [404, { message: '404 Not Found' }]);
      const json = { name: 'plain', initialize_with_readme: true };
      const { id } = await server.must('POST /projects', { json });
      const answer = await server.api(`GET /projects/${id}/repository/commits/main/signature`);
      assert.equal(answer.status, 404);
    });
  });
});
