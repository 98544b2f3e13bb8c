import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createMessage, generateKey, type PrivateKey, readPrivateKey, revokeKey, sign } from 'openpgp';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { missing } from '../../support/tools.ts';
import { SignedProject } from './scene.ts';

interface Pgp {
  readonly armored: string;
  readonly secret: PrivateKey;
  sign(payload: Buffer): Promise<string>;
}

/** Generates a key pair with these addresses. */
async function pgpKey(emails: readonly string[], options: { subkey?: boolean; days?: number } = {}): Promise<Pgp> {
  const { privateKey, publicKey } = await generateKey({
    userIDs: emails.map((email) => ({ name: 'Signer', email })),
    format: 'armored',
    subkeys: options.subkey ? [{ sign: true }] : [],
    ...(options.days ? { date: daysAgo(2 * options.days), keyExpirationTime: options.days * 24 * 3600 } : {}),
  });
  const secret = await readPrivateKey({ armoredKey: privateKey });
  return { armored: publicKey, secret, sign: (payload) => pgpSignature(payload, [secret]) };
}

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600 * 1000);

async function pgpSignature(payload: Buffer, signingKeys: PrivateKey[], date?: Date): Promise<string> {
  const message = await createMessage({ binary: new Uint8Array(payload) });
  return sign({ message, signingKeys, detached: true, date });
}

forEachEngine((engine) => {
  describe('signature verification', () => {
    let scene: SignedProject;
    let owner: Person;
    let other: Person;
    let email: string;

    const upload = async (who: Person, armored: string) =>
      (await scene.server.must('POST /user/gpg_keys', { token: who.token, json: { key: armored } })).id as number;
    const addEmail = (address: string) =>
      scene.server.must(`POST /users/${owner.user.id}/emails`, { json: { email: address, skip_confirmation: true } });

    before(async () => {
      scene = await SignedProject.start(engine);
      owner = scene.owner;
      email = owner.user.email;
      other = await addPerson(scene.server, 'other');
    });

    it('verifies PGP signatures by known keys and addresses', async () => {
      const mine = await pgpKey([email, 'second@example.com']);
      const id = await upload(owner, mine.armored);
      await scene.commit('good', email.toUpperCase(), mine.sign);
      const expected = {
        signature_type: 'PGP',
        verification_status: 'verified',
        gpg_key_id: id,
        gpg_key_primary_keyid: mine.secret.getKeyID().toHex().toUpperCase(),
        gpg_key_user_name: 'Signer',
        gpg_key_user_email: email,
        gpg_key_subkey_id: null,
      };
      assert.deepEqual(await scene.signatureOf('good'), { ...expected, commit_source: 'gitaly' });
      await scene.tag('good', email, mine.sign);
      assert.deepEqual(await scene.signatureOfTag('good'), expected);

      await addEmail(`alt-${engine}@example.com`);
      await scene.commit('alt', `alt-${engine}@example.com`, mine.sign);
      assert.equal(await scene.status('alt'), 'same_user_different_email');
      await scene.commit('second', 'second@example.com', mine.sign);
      assert.equal(await scene.status('second'), 'other_user');
      await scene.commit('of-other', other.user.email, mine.sign);
      assert.equal(await scene.status('of-other'), 'other_user');
      await scene.commit('forged', email, () => mine.sign(Buffer.from('other')));
      assert.equal(await scene.status('forged'), 'unverified');
      const nonsense = '-----BEGIN PGP SIGNATURE-----\n\nnonsense\n-----END PGP SIGNATURE-----';
      await scene.commit('broken', email, () => nonsense);
      assert.equal(await scene.status('broken'), 'unverified');

      const stranger = await pgpKey([email]);
      await scene.commit('stranger', email, stranger.sign);
      const unknown = await scene.signatureOf('stranger');
      assert.deepEqual(
        [unknown.verification_status, unknown.gpg_key_id, unknown.gpg_key_user_email],
        ['unknown_key', null, null],
      );
      await scene.commit('twice', email, (payload) => pgpSignature(payload, [mine.secret, stranger.secret]));
      assert.equal(await scene.status('twice'), 'multiple_signatures');

      // Another user uploads a key that claims an address they do not own.
      await upload(other, stranger.armored);
      assert.equal(await scene.status('stranger'), 'unverified_key');
    });

    it('identifies the subkey of a PGP signature, even if another key claims it', async () => {
      const mine = await pgpKey([email], { subkey: true });
      const [subkey] = mine.secret.getSubkeys();
      // Another user's key containing this subkey without a valid binding, uploaded first.
      const thief = await pgpKey([other.user.email]);
      const stolen = thief.secret.toPublic();
      stolen.subkeys = mine.secret.toPublic().subkeys;
      await upload(other, stolen.armor());
      const id = await upload(owner, mine.armored);
      await scene.commit('subkey', email, mine.sign);
      const found = await scene.signatureOf('subkey');
      assert.deepEqual(
        [found.verification_status, found.gpg_key_id, found.gpg_key_primary_keyid, found.gpg_key_user_email],
        ['verified', null, subkey?.getKeyID().toHex().toUpperCase(), email],
      );
      assert.ok(Number.isInteger(found.gpg_key_subkey_id));
      await scene.server.must(`POST /user/gpg_keys/${id}/revoke`, { token: owner.token });
      assert.equal(await scene.status('subkey'), 'unverified');
    });

    it('verifies signatures made before a key expired or was revoked', async () => {
      const old = await pgpKey([email], { days: 10 });
      await upload(owner, old.armored);
      await scene.commit('in-time', email, (payload) => pgpSignature(payload, [old.secret], daysAgo(15)));
      assert.equal(await scene.status('in-time'), 'verified');
      const revoked = await pgpKey([email]);
      await scene.commit('revoked', email, revoked.sign);
      const { publicKey } = await revokeKey({ key: revoked.secret, format: 'armored' });
      await upload(owner, publicKey);
      assert.equal(await scene.status('revoked'), 'revoked_key');
    });

    it('keeps PGP signatures verified after the key is deleted, until it is revoked', async () => {
      const mine = await pgpKey([email]);
      const first = await upload(owner, mine.armored);
      await scene.commit('seen', email, mine.sign);
      const seen = await scene.signatureOf('seen');
      await scene.server.must(`DELETE /user/gpg_keys/${first}`, { token: owner.token });
      assert.deepEqual(await scene.signatureOf('seen'), { ...seen, gpg_key_id: null });
      await scene.commit('late', email, mine.sign);
      assert.equal(await scene.status('late'), 'unknown_key', 'later signatures are not verified');
      const second = await upload(owner, mine.armored);
      assert.equal(await scene.status('late'), 'verified');
      const revoking = await scene.server.api(`POST /user/gpg_keys/${second}/revoke`, { token: owner.token });
      assert.deepEqual([revoking.status, revoking.body], [202, 202]);
      assert.deepEqual([await scene.status('seen'), await scene.status('late')], ['unknown_key', 'unknown_key']);
    });

    it('keeps pushed signatures verified even if nobody viewed them before the key was deleted', async () => {
      const mine = await pgpKey([email]);
      const id = await upload(owner, mine.armored);
      await scene.commit('unseen', email, mine.sign);
      await scene.tag('unseen-tag', email, mine.sign);
      await scene.server.running.services.queue.drain();
      await scene.server.must(`DELETE /user/gpg_keys/${id}`, { token: owner.token });
      assert.equal(await scene.status('unseen'), 'verified');
      assert.equal((await scene.signatureOfTag('unseen-tag')).verification_status, 'verified');
    });

    it('no longer verifies signatures when the signer gives up the address', async () => {
      const address = `given-up-${engine}@example.com`;
      const added = await addEmail(address);
      const mine = await pgpKey([address]);
      await upload(owner, mine.armored);
      await scene.commit('given-up', address, mine.sign);
      assert.equal(await scene.status('given-up'), 'verified');
      await scene.server.must(`DELETE /users/${owner.user.id}/emails/${added.id}`);
      assert.equal(await scene.status('given-up'), 'unverified_author_email');
    });

    it('finds no signature on unsigned objects', async () => {
      const blob = await scene.source.git('rev-parse', 'main:a');
      await scene.source.git('tag', 'blob', blob);
      await scene.push('refs/tags/blob');
      const repository = `/projects/${scene.project.id}/repository`;
      // Only the beginning of such a long commit is read, so the signed payload is incomplete.
      await scene.commit('giant', email, () => `-----BEGIN PGP SIGNATURE-----\n\n${'a'.repeat(300_000)}`);
      for (const what of ['tags/blob', 'commits/main', 'commits/giant']) {
        const answer = await scene.server.api(`GET ${repository}/${what}/signature`);
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Signature Not Found' }], what);
      }
    });

    it('verifies SSH signatures in the same way', { skip: missing('ssh-keygen') }, async () => {
      const path = join(scene.source.folder, `key-${engine}`);
      execFileSync('ssh-keygen', ['-q', '-N', '', '-C', '', '-t', 'ed25519', '-f', path]);
      const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${path}`];
      const commitAs = async (branch: string, committer: string) => {
        scene.source.env.GIT_COMMITTER_EMAIL = committer;
        await scene.source.git('checkout', '-q', '-B', branch, 'main');
        await scene.source.git(...config, 'commit', '-q', '-S', '--allow-empty', '-m', `by ssh on ${branch}`);
        await scene.push(branch);
      };
      await commitAs('ssh', email);
      const nobody = { signature_type: 'SSH', verification_status: 'unknown_key', key: null, commit_source: 'gitaly' };
      assert.deepEqual(await scene.signatureOf('ssh'), nobody);
      const text = readFileSync(`${path}.pub`, 'utf8').trim();
      const add = (usage_type: string) =>
        scene.server.must('POST /user/keys', { token: owner.token, json: { title: 'mine', key: text, usage_type } });
      const drop = (id: number) => scene.server.must(`DELETE /user/keys/${id}`, { token: owner.token });

      const auth = await add('auth');
      assert.deepEqual(await scene.signatureOf('ssh'), nobody, 'authentication-only keys do not count');
      await drop(auth.id);
      const key = await add('signing');
      assert.deepEqual(await scene.signatureOf('ssh'), { ...nobody, verification_status: 'verified', key });
      await scene.source.git(...config, 'tag', '-s', '-m', 'a tag', 'ssh-tag');
      await scene.push('refs/tags/ssh-tag');
      assert.deepEqual(await scene.signatureOfTag('ssh-tag'), {
        signature_type: 'SSH',
        verification_status: 'verified',
        key,
      });
      await commitAs('ssh-other', other.user.email);
      assert.equal(await scene.status('ssh-other'), 'other_user');
      await commitAs('ssh-nobody', 'nobody@example.com');
      assert.equal(await scene.status('ssh-nobody'), 'other_user');
      const hidden = `${owner.user.id}-${owner.user.username}@users.noreply.${new URL(scene.server.url).hostname}`;
      await commitAs('ssh-hidden', hidden);
      assert.equal(await scene.status('ssh-hidden'), 'verified');

      await drop(key.id);
      const kept = await scene.signatureOf('ssh');
      assert.deepEqual([kept.verification_status, kept.key], ['verified', null], 'kept after the key is deleted');
      assert.equal(await scene.status('ssh-other'), 'unknown_key');
    });
  });
});
