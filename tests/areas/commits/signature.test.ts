import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createMessage, generateKey, type PrivateKey, readPrivateKey, sign } from 'openpgp';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** A key pair of somebody with these addresses. */
async function pgpKey(...emails: string[]): Promise<{ armored: string; secret: PrivateKey }> {
  const userIDs = emails.map((email) => ({ name: 'Signer', email }));
  const { privateKey, publicKey } = await generateKey({ userIDs, format: 'armored' });
  return { armored: publicKey, secret: await readPrivateKey({ armoredKey: privateKey }) };
}

async function pgpSignature(payload: Buffer, ...secrets: PrivateKey[]): Promise<string> {
  const message = await createMessage({ binary: new Uint8Array(payload) });
  return sign({ message, signingKeys: secrets, detached: true });
}

forEachEngine((engine) => {
  describe('the signature of a commit', () => {
    let server: TestServer;
    let owner: Person;
    let other: Person;
    let project: Project;
    let source: GitClient;

    const signatureOf = async (branch: string) => {
      const answer = await server.api(`GET /projects/${project.id}/repository/commits/${branch}/signature`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const push = (branch: string) => source.git('push', '-q', '-f', pushUrl(), `${branch}:${branch}`);
    const pushUrl = () => {
      const { host } = new URL(server.url);
      return `http://x:${owner.token}@${host}/${owner.user.username}/${project.path}.git`;
    };
    /** Commits with a signature of any making; the committer is who is named. */
    const signed = async (branch: string, email: string, make: (payload: Buffer) => Promise<string>) => {
      const tree = await source.git('rev-parse', 'main^{tree}');
      const who = `Somebody <${email}> 1700000000 +0000`;
      const head = `tree ${tree}\nauthor ${who}\ncommitter ${who}`;
      const body = '\n\nsigned\n';
      const text = (await make(Buffer.from(head + body))).trim().replaceAll(/\r?\n/g, '\n ');
      const input = `${head}\ngpgsig ${text}${body}`;
      const oid = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: source.folder, input });
      await source.git('update-ref', `refs/heads/${branch}`, oid.toString().trim());
      await push(branch);
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      other = await addPerson(server, 'other');
      source = new GitClient();
      await source.init();
      await source.commit({ a: 'a\n' });
      project = await addFilledProject(server, owner, 'signed', source);
    });

    it('by PGP is judged by the keys and addresses that are known', async () => {
      const mine = await pgpKey(owner.user.email, 'second@example.com');
      const { id } = await server.must('POST /user/gpg_keys', { token: owner.token, json: { key: mine.armored } });
      const status = async (branch: string) => (await signatureOf(branch)).verification_status;

      await signed('good', owner.user.email, (payload) => pgpSignature(payload, mine.secret));
      const keyId = mine.secret.getKeyID().toHex().toUpperCase();
      assert.deepEqual(await signatureOf('good'), {
        signature_type: 'PGP',
        verification_status: 'verified',
        gpg_key_id: id,
        gpg_key_primary_keyid: keyId,
        gpg_key_user_name: 'Signer',
        gpg_key_user_email: owner.user.email,
        gpg_key_subkey_id: null,
        commit_source: 'gitaly',
      });

      await server.must(`POST /users/${owner.user.id}/emails`, {
        json: { email: `alt-${engine}@example.com`, skip_confirmation: true },
      });
      await signed('alt', `alt-${engine}@example.com`, (payload) => pgpSignature(payload, mine.secret));
      assert.equal(await status('alt'), 'same_user_different_email');
      await signed('second', 'second@example.com', (payload) => pgpSignature(payload, mine.secret));
      assert.equal(await status('second'), 'other_user');
      await signed('forged', owner.user.email, () => pgpSignature(Buffer.from('other'), mine.secret));
      assert.equal(await status('forged'), 'unverified');
      await signed(
        'broken',
        owner.user.email,
        async () => '-----BEGIN PGP SIGNATURE-----\n\nnonsense\n-----END PGP SIGNATURE-----',
      );
      assert.equal(await status('broken'), 'unverified');

      const stranger = await pgpKey(owner.user.email);
      await signed('stranger', owner.user.email, (payload) => pgpSignature(payload, stranger.secret));
      const unknown = await signatureOf('stranger');
      assert.deepEqual(
        [unknown.verification_status, unknown.gpg_key_id, unknown.gpg_key_user_email],
        ['unknown_key', null, null],
      );
      await signed('twice', owner.user.email, (payload) => pgpSignature(payload, mine.secret, stranger.secret));
      assert.equal(await status('twice'), 'multiple_signatures');

      // Somebody uploads a key that claims an address of another person.
      await server.must('POST /user/gpg_keys', { token: other.token, json: { key: stranger.armored } });
      assert.equal(await status('stranger'), 'unverified_key');
      await server.must(`DELETE /user/gpg_keys/${id}`, { token: owner.token });
      assert.equal(await status('good'), 'unknown_key');
    });

    it('by SSH is judged the same way', async () => {
      const path = join(source.folder, `key-${engine}`);
      execFileSync('ssh-keygen', ['-q', '-N', '', '-C', '', '-t', 'ed25519', '-f', path]);
      const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${path}`];
      const commitAs = async (branch: string, email: string) => {
        source.env.GIT_COMMITTER_EMAIL = email;
        await source.git('checkout', '-q', '-B', branch, 'main');
        await source.git(...config, 'commit', '-q', '-S', '--allow-empty', '-m', 'by ssh');
        await push(branch);
      };
      await commitAs('ssh', owner.user.email);
      const unknown = await signatureOf('ssh');
      assert.deepEqual(unknown, {
        signature_type: 'SSH',
        verification_status: 'unknown_key',
        key: null,
        commit_source: 'gitaly',
      });
      const text = readFileSync(`${path}.pub`, 'utf8').trim();
      const key = await server.must('POST /user/keys', { token: owner.token, json: { title: 'mine', key: text } });
      const known = await signatureOf('ssh');
      assert.deepEqual(
        [known.verification_status, known.key.id, known.key.usage_type],
        ['verified', key.id, 'auth_and_signing'],
      );
      await commitAs('ssh-other', other.user.email);
      assert.equal((await signatureOf('ssh-other')).verification_status, 'other_user');
      const hidden = `${owner.user.id}-${owner.user.username}@users.noreply.${new URL(server.url).hostname}`;
      await commitAs('ssh-hidden', hidden);
      assert.equal((await signatureOf('ssh-hidden')).verification_status, 'verified');
      await server.must(`DELETE /user/keys/${key.id}`, { token: owner.token });
      await server.must('POST /user/keys', {
        token: owner.token,
        json: { title: 'auth', key: text, usage_type: 'auth' },
      });
      assert.equal((await signatureOf('ssh')).verification_status, 'unknown_key');
    });

    it('by certificate is never believed', async () => {
      await signed(
        'x509',
        owner.user.email,
        async () => '-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----',
      );
      const found = await signatureOf('x509');
      assert.deepEqual([found.signature_type, found.verification_status], ['X509', 'unverified']);
    });
  });
});
