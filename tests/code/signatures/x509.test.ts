import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import {
  armor,
  distinguishedName,
  type Identity,
  issue,
  issueRoot,
  pem,
  revocationList,
  type Signing,
  signCms,
} from '../../support/x509.ts';
import { SignedProject } from './scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'x509-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const root = issueRoot();
const authorities = file('authorities.pem', pem(root));
const by =
  (identity: Identity, signing: Signing = {}) =>
  (payload: Buffer) =>
    armor(signCms(payload, identity, signing));
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

forEachEngine((engine) => {
  describe('X.509 signatures', () => {
    let scene: SignedProject;
    let email: string;
    let ann: Identity;

    before(async () => {
      scene = await SignedProject.start(engine, ['--signature-ca', authorities, '--allow-local-egress']);
      email = scene.owner.user.email;
      const name = distinguishedName({ O: 'World', OU: 'Example', CN: email });
      const serial = 278969561018901340486471282831158785578n;
      ann = issue({ issuer: root, emails: [email, 'second@example.com'], name, serial });
    });

    it('are verified when a trusted root issued a certificate for the committer', async () => {
      await scene.commit('good', email, by(ann));
      const found = await scene.signatureOf('good');
      const { id, subject_key_identifier, x509_issuer, ...certificate } = found.x509_certificate;
      assert.deepEqual(
        [found.signature_type, found.verification_status, found.commit_source],
        ['X509', 'verified', 'gitaly'],
      );
      assert.deepEqual(certificate, {
        subject: `CN=${email},OU=Example,O=World`,
        email,
        serial_number: Number(ann.serial),
        certificate_status: 'good',
      });
      assert.match(subject_key_identifier, /^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
      assert.deepEqual(
        [x509_issuer.subject, x509_issuer.crl_url],
        ['CN=PKI,OU=Example,O=World', 'http://crl.example.com/pki.crl'],
      );
      assert.match(x509_issuer.subject_key_identifier, /^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
      const again = await scene.server.api(`GET /projects/${scene.project.id}/repository/commits/good/signature`);
      assert.match(again.text, /"serial_number":278969561018901340486471282831158785578,/, 'all digits');
      await scene.commit('good-too', email, by(ann));
      const other = (await scene.signatureOf('good-too')).x509_certificate;
      assert.deepEqual([other.id, other.x509_issuer.id], [id, x509_issuer.id], 'the same certificate has the same IDs');
    });

    it('are verified on tags, too', async () => {
      await scene.tag('signed', email, by(ann));
      const { x509_certificate, ...found } = await scene.signatureOfTag('signed');
      assert.deepEqual(found, { signature_type: 'X509', verification_status: 'verified' });
      assert.equal(x509_certificate.email, email);
      await scene.tag('of-another', 'other@example.com', by(ann));
      assert.equal((await scene.signatureOfTag('of-another')).verification_status, 'unverified');
    });

    it('are not verified for other addresses, untrusted certificates or wrong dates', async () => {
      const other = await addPerson(scene.server, 'other');
      const now = Math.floor(Date.now() / 1000);
      const self = issue({ emails: [email] });
      const cases: [string, string, Identity, number?][] = [
        ['an address missing in the certificate', other.user.email, ann],
        ['an address of no user', 'second@example.com', ann],
        ['a self-signed certificate', email, self],
        ['a certificate of an untrusted authority', email, issue({ issuer: issueRoot(), emails: [email] })],
        ['a certificate without a revocation list', email, issue({ issuer: root, emails: [email], crlUrl: null })],
        ['a commit later than its signature', email, ann, now + 3600],
      ];
      for (const [index, [what, committer, identity, seconds]] of cases.entries()) {
        await scene.commit(`case-${index}`, committer, by(identity), seconds);
        const found = await scene.signatureOf(`case-${index}`);
        assert.equal(found.verification_status, 'unverified', what);
        assert.equal(found.x509_certificate.email, email, what);
      }
      const shown = (await scene.signatureOf('case-4')).x509_certificate;
      assert.equal(shown.x509_issuer.crl_url, null);
    });

    it('have no certificate if they are invalid or the certificate is incomplete', async () => {
      const broken = '-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----';
      const cases: ((payload: Buffer) => string)[] = [
        () => broken,
        () => by(ann)(Buffer.from('other')),
        () => `-----BEGIN SIGNED MESSAGE-----\n${'MIAw'.repeat(50_000)}\n-----END SIGNED MESSAGE-----`,
        by(issue({ issuer: root })),
        by(issue({ issuer: root, emails: [email], without: ['2.5.29.14'] })),
        by(issue({ issuer: root, emails: [email], without: ['2.5.29.35'] })),
      ];
      for (const [index, sign] of cases.entries()) {
        await scene.commit(`bad-${index}`, email, sign);
        assert.deepEqual(await scene.signatureOf(`bad-${index}`), {
          signature_type: 'X509',
          verification_status: 'unverified',
          x509_certificate: null,
          commit_source: 'gitaly',
        });
      }
    });

    it('use the address in the subject if there is no other', async () => {
      const name = distinguishedName({ CN: 'Ann', emailAddress: email });
      await scene.commit('subject', email, by(issue({ issuer: root, name })));
      const { verification_status, x509_certificate } = await scene.signatureOf('subject');
      assert.deepEqual(
        [verification_status, x509_certificate.email, x509_certificate.subject],
        ['verified', email, `emailAddress=${email},CN=Ann`],
      );
    });

    it('are not verified after the certificate is revoked', async () => {
      const revoked: bigint[] = [];
      let answered = 0;
      const lists = createServer((_, response) => {
        answered += 1;
        response.end(revocationList(root, revoked));
      }).unref();
      await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
      const crlUrl = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/pki.crl`;
      const { queue, db } = scene.server.running.services;
      const bob = issue({ issuer: root, emails: [email], crlUrl });
      await scene.commit('bob', email, by(bob));
      assert.equal(await scene.status('bob'), 'verified');
      await queue.drain();
      assert.notEqual(answered, 0, 'the list is checked when the certificate is first seen');
      assert.equal(await scene.status('bob'), 'verified');

      revoked.push(bob.serial);
      await db.write((trx) => trx.updateTable('recurring_jobs').set({ next_run_at: 0 }).execute());
      await queue.drain();
      const found = await scene.signatureOf('bob');
      assert.deepEqual(
        [found.verification_status, found.x509_certificate.certificate_status],
        ['unverified', 'revoked'],
      );
      lists.close();
    });

    it('made by git itself are verified', { skip: !hasOpenssl }, async () => {
      const certificate = file(`signer-${engine}.pem`, pem(ann));
      const key = file(`key-${engine}.pem`, ann.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
      const program = file(
        `sign-${engine}`,
        `#!/bin/sh
printf '\\n[GNUPG:] SIG_CREATED ' >&2
echo '-----BEGIN SIGNED MESSAGE-----'
openssl cms -sign -binary -signer '${certificate}' -inkey '${key}' -outform DER | openssl base64
echo '-----END SIGNED MESSAGE-----'
`,
      );
      chmodSync(program, 0o755);
      const config = ['-c', 'gpg.format=x509', '-c', `gpg.x509.program=${program}`, '-c', 'user.signingKey=x'];
      scene.source.env.GIT_COMMITTER_EMAIL = email;
      await scene.source.git('checkout', '-q', '-B', 'by-git', 'main');
      await scene.source.git(...config, 'commit', '-q', '-S', '--allow-empty', '-m', 'signed é\n\nbody');
      await scene.push('by-git');
      assert.equal(await scene.status('by-git'), 'verified');
      await scene.source.git(...config, 'tag', '-s', '-m', 'a tag', 'by-git-tag');
      await scene.push('refs/tags/by-git-tag');
      assert.equal((await scene.signatureOfTag('by-git-tag')).verification_status, 'verified');
    });
  });
});
