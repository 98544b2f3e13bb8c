import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { constants, createHash, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { loadTrustStore, TrustStore } from '../../../../../src/platform/git/signatures/x509/trust.ts';
import { verifyX509Signature } from '../../../../../src/platform/git/signatures/x509/x509.ts';
import {
  armor,
  der,
  distinguishedName,
  extension,
  type Identity,
  type IssueOptions,
  issue,
  issueRoot,
  oid,
  pem,
  type Signing,
  sequence,
  signCms,
} from '../../../../support/x509.ts';
import { gpgsm } from '../../x509-specimens.ts';

const payload = Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nmessage\n');
const root = issueRoot();
const trusting = (...roots: Identity[]) =>
  new TrustStore(roots.map(({ certificate }) => new X509Certificate(certificate)));
const trust = trusting(root);
const emails = ['Ann@example.com', 'second@example.com'];
const emailProtection = '1.3.6.1.5.5.7.3.4';
const day = 24 * 60 * 60 * 1000;

const verify = (signer: Identity, signing: Signing = {}, store = trust) =>
  verifyX509Signature(payload, armor(signCms(payload, signer, signing)), store);
/** Returns whether a signature with a certificate of the root is valid, and whether it is trusted. */
const judge = (options: IssueOptions, signing: Signing = {}) => {
  const found = verify(issue({ issuer: root, emails, ...options }), signing);
  return [found !== undefined, found?.chain !== undefined];
};

describe('X.509 signature', () => {
  it('has a signer, a signing time and a certificate chain', () => {
    const name = distinguishedName({ O: 'World, inc', OU: 'Bäcker', CN: 'Ann' });
    const signer = issue({ issuer: root, emails, name, serial: 0x8000_0000_0000_0000_0001n });
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    const found = verify(signer, { at });
    assert.ok(found?.chain);
    const { certificate } = found;
    assert.deepEqual(found.signedAt, at);
    assert.equal(certificate.subject, 'CN=Ann,OU=Bäcker,O=World\\, inc');
    assert.equal(certificate.issuer, 'CN=PKI,OU=Example,O=World');
    assert.deepEqual(certificate.emails, ['ann@example.com', 'second@example.com']);
    assert.equal(certificate.serial, 0x8000_0000_0000_0000_0001n);
    const keyId = (of: Identity) => {
      const hex = createHash('sha1')
        .update(of.publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex');
      return hex.toUpperCase().match(/../g)?.join(':');
    };
    assert.equal(certificate.extensions.subjectKeyId, keyId(signer));
    assert.equal(certificate.extensions.authorityKeyId, keyId(root));
    assert.equal(certificate.extensions.crlUrl, 'http://crl.example.com/pki.crl');
    assert.deepEqual(
      found.chain.map(({ subject }) => subject),
      [certificate.subject, certificate.issuer],
    );
  });

  it('may identify the certificate by key id, have no signed attributes, or use another algorithm', () => {
    const signer = issue({ issuer: root, emails });
    assert.ok(verify(signer, { byKeyId: true })?.chain);
    assert.ok(verify(signer, { bare: true }), 'valid, but without a signing time');
    const rsa = issue({ issuer: root, emails, keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) });
    const sha512 = sequence(oid('2.16.840.1.101.3.4.2.3'));
    const rsaEncryption = sequence(oid('1.2.840.113549.1.1.1'), der(0x05));
    assert.ok(verify(rsa, { algorithm: rsaEncryption })?.chain);
    const beside = { digest: sha512, messageDigest: createHash('sha512').update(payload).digest() };
    const plain = (bytes: Buffer) => sign('sha512', bytes, rsa.privateKey);
    assert.ok(verify(rsa, { ...beside, algorithm: rsaEncryption, sign: plain })?.chain);
    const mask = sequence(oid('1.2.840.113549.1.1.8'), sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05)));
    const params = [
      der(0xa0, sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05))),
      der(0xa1, mask),
      der(0xa2, der(0x02, Buffer.from([32]))),
    ];
    const pss = sequence(oid('1.2.840.113549.1.1.10'), sequence(...params));
    const padded = { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    assert.ok(verify(rsa, { algorithm: pss, sign: (bytes) => sign('sha256', bytes, padded) })?.chain);
    const edwards = issue({ issuer: root, emails, keys: generateKeyPairSync('ed25519') });
    const ed25519 = { algorithm: sequence(oid('1.3.101.112')), sign: (b: Buffer) => sign(null, b, edwards.privateKey) };
    assert.ok(verify(edwards, ed25519)?.chain);
  });

  it('is invalid for other content, another key or embedded content', () => {
    const signer = issue({ issuer: root, emails });
    const good = signCms(payload, signer);
    assert.ok(verifyX509Signature(payload, armor(good), trust));
    assert.equal(verifyX509Signature(Buffer.from('other'), armor(good), trust), undefined);
    const other = issue({ emails });
    const cases: Record<string, Signing> = {
      'another key': { sign: (bytes) => sign('sha256', bytes, other.privateKey) },
      'another digest': { messageDigest: Buffer.alloc(32) },
      'embedded content': { content: payload },
      'two signers': { signers: 2 },
      'no signer': { signers: 0 },
      'SHA-1': {
        digest: sequence(oid('1.3.14.3.2.26')),
        messageDigest: createHash('sha1').update(payload).digest(),
      },
      'an unknown algorithm': { algorithm: sequence(oid('1.2.3.4')) },
      'PSS without parameters': { algorithm: sequence(oid('1.2.840.113549.1.1.10'), sequence()) },
      'an algorithm for other keys': { algorithm: sequence(oid('1.2.840.113549.1.1.11'), der(0x05)) },
    };
    for (const [kind, signing] of Object.entries(cases)) assert.equal(verify(signer, signing), undefined, kind);
    const missing = { ...signer, certificate: other.certificate };
    assert.equal(verify(missing), undefined, 'without its certificate');
    const short = issue({ issuer: root, emails, keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) });
    assert.equal(verify(short), undefined, 'with a short key');
  });
});

describe('trust in a certificate', () => {
  const table: [string, IssueOptions, Signing, boolean][] = [
    ['is given if issued by a trusted root', {}, {}, true],
    ['is given for e-mail', { purposes: [emailProtection] }, {}, true],
    ['is not given for another purpose', { purposes: ['1.3.6.1.5.5.7.3.1'] }, {}, false],
    ['is not given if the key usage excludes signing', { keyUsage: 0x20 }, {}, false],
    ['is not given without a signing time', {}, { at: null }, false],
    ['is not given before the validity period', {}, { at: new Date(Date.now() - 2 * day) }, false],
    ['is not given after the validity period', { to: new Date(Date.now() - 3600_000) }, {}, false],
    [
      'is given if the certificate expired only after signing',
      { to: new Date(Date.now() - 3600_000) },
      { at: new Date(Date.now() - 7200_000) },
      true,
    ],
    ['is not given with an unknown critical extension', { more: [extension('1.2.3.4', der(0x05), true)] }, {}, false],
    ['is given with an unknown non-critical extension', { more: [extension('1.2.3.4', Buffer.from('?'))] }, {}, true],
  ];
  for (const [title, options, signing, trusted] of table) {
    it(title, () => assert.deepEqual(judge(options, signing), [true, trusted]));
  }

  it('is not given to a self-signed certificate, unless it is in the trust store', () => {
    const self = issue({ emails });
    assert.deepEqual([verify(self) !== undefined, verify(self)?.chain], [true, undefined]);
    assert.equal(verify(self, {}, trusting(self))?.chain?.length, 1);
  });

  it('is not given by a root with the same name but another key', () => {
    const other = issueRoot();
    const signer = issue({ issuer: other, emails });
    assert.equal(verify(signer, { chain: [other] })?.chain, undefined);
  });
});

describe('certificate chain', () => {
  const below = (options: IssueOptions = {}, top = root) =>
    issue({ isAuthority: true, name: distinguishedName({ CN: 'Between' }), issuer: top, ...options });
  const trusted = (between: Identity, chain = [between]) =>
    verify(issue({ issuer: between, emails }), { chain })?.chain?.length;

  it('includes the certificates sent with the signature', () => {
    assert.equal(trusted(below()), 3);
    assert.equal(trusted(below(), []), undefined, 'without the intermediate certificate');
    const second = below({ name: distinguishedName({ CN: 'Lower' }) }, below());
    assert.equal(trusted(second), undefined);
  });

  it('may end at a trusted intermediate certificate', () => {
    const between = below();
    const signer = issue({ issuer: between, emails });
    assert.equal(verify(signer, {}, trusting(between))?.chain?.length, 2);
  });

  it('accepts only valid certificate authorities for e-mail', () => {
    const cases: [string, IssueOptions][] = [
      ['not a CA', { isAuthority: false }],
      ['a key that may not sign certificates', { keyUsage: 0x80 }],
      ['for TLS servers', { purposes: ['1.3.6.1.5.5.7.3.1'] }],
      ['expired', { to: new Date(Date.now() - 1000) }],
      ['an unknown critical extension', { more: [extension('1.2.3.4', der(0x05), true)] }],
      ['a short key', { keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) }],
    ];
    for (const [kind, options] of cases) assert.equal(trusted(below(options)), undefined, kind);
    assert.equal(trusted(below({ purposes: [emailProtection] })), 3);
  });

  it('respects the path length constraint', () => {
    const first = below({ pathLength: 0 });
    assert.equal(trusted(first), 3);
    const second = below({ name: distinguishedName({ CN: 'Lower' }) }, first);
    assert.equal(trusted(second, [second, first]), undefined);
    const roomy = below({ pathLength: 1 });
    const third = below({ name: distinguishedName({ CN: 'Lower' }) }, roomy);
    assert.equal(trusted(third, [roomy, third]), 4);
  });

  it('respects name constraints', () => {
    const base = (tag: number, ...bases: Buffer[]) => der(tag, ...bases.map((one) => sequence(one)));
    const only = (...constraints: Buffer[]) =>
      trusted(below({ more: [extension('2.5.29.30', sequence(...constraints), true)] }));
    const mail = (text: string) => der(0x81, text);
    const world = distinguishedName({ O: 'World' });
    const cases: [string, Buffer[], number | undefined][] = [
      ['its domain', [base(0xa0, mail('example.com'))], 3],
      ['one of two addresses', [base(0xa0, mail('ann@example.com'))], undefined],
      ['both addresses', [base(0xa0, mail('ann@example.com'), mail('second@example.com'))], 3],
      ['subdomains', [base(0xa0, mail('.example.com'))], undefined],
      ['all subdomains of com', [base(0xa0, mail('.com'))], 3],
      ['another domain', [base(0xa0, mail('ample.com'))], undefined],
      ['its domain excluded', [base(0xa1, mail('example.com'))], undefined],
      ['another domain excluded', [base(0xa1, mail('example.org'))], 3],
      ['its organisation', [base(0xa0, der(0xa4, world))], 3],
      ['another organisation', [base(0xa0, der(0xa4, distinguishedName({ O: 'Moon' })))], undefined],
      ['an organisation excluded', [base(0xa1, der(0xa4, distinguishedName({ O: 'Moon' })))], undefined],
      ['host names, which are ignored', [base(0xa0, der(0x82, 'host.example.com'))], 3],
    ];
    for (const [kind, constraints, length] of cases) assert.equal(only(...constraints), length, kind);
  });

  it('gives up when there are too many paths to try', () => {
    const name = distinguishedName({ CN: 'Round' });
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ring = Array.from({ length: 15 }, () => issue({ isAuthority: true, name, keys }));
    const signer = issue({ issuer: ring[0] as Identity, emails });
    assert.equal(verify(signer, { chain: ring })?.chain, undefined);
  });
});

describe('malformed signatures', () => {
  it('are rejected, or the altered bytes are irrelevant', () => {
    const signer = issue({ issuer: root, emails });
    const good = signCms(payload, signer);
    for (let at = 0; at < good.length; at += 3) {
      for (const change of [0xff, 0x01, 0x80]) {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const found = verifyX509Signature(payload, armor(bytes), trust);
        // Some bytes are irrelevant, such as the version; only the certificate is trusted.
        if (found?.chain) assert.ok(found.certificate.x509.raw.equals(signer.certificate), `byte ${at}`);
      }
      assert.equal(verifyX509Signature(payload, armor(good.subarray(0, at)), trust), undefined, `cut at ${at}`);
    }
  });

  it('take little time to reject', () => {
    const deep = Buffer.from('3080'.repeat(40_000), 'hex');
    const wide = Buffer.concat([Buffer.from('3083010000', 'hex'), Buffer.alloc(65_536, Buffer.from('0500', 'hex'))]);
    const many = signCms(payload, issue({ issuer: root }), { chain: Array.from({ length: 16 }, () => root) });
    const long = issue({ issuer: root, emails, name: distinguishedName({ CN: 'x'.repeat(4000) }) });
    for (const bytes of [deep, wide, many, signCms(payload, long), Buffer.alloc(60_000, 0x24), Buffer.alloc(0)]) {
      assert.equal(verifyX509Signature(payload, armor(bytes), trust), undefined);
    }
    for (const text of ['', 'x', '-----BEGIN SIGNED MESSAGE-----', armor(wide).replace('END', 'BEGIN')]) {
      assert.equal(verifyX509Signature(payload, text, trust), undefined);
    }
  });
});

const folder = mkdtempSync(join(tmpdir(), 'x509-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

test("the trust store contains the system's authorities and those of a file", async () => {
  const file = join(folder, 'ca.pem');
  const other = issueRoot();
  writeFileSync(file, `a remark\n${pem(root)}${pem(other)}`);
  const store = await loadTrustStore(file);
  assert.ok(verify(issue({ issuer: other, emails }), {}, store)?.chain);
  const system = await loadTrustStore(undefined);
  assert.equal(verify(issue({ issuer: root, emails }), {}, system)?.chain, undefined);
});

test('signatures are compatible with openssl in both directions', { skip: !has('openssl') }, () => {
  const signer = issue({ issuer: root, emails, purposes: [emailProtection] });
  const path = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const roots = path('root.pem', pem(root));
  const data = path('data', payload);
  const signed = path('signed.der', signCms(payload, signer));
  const checks = ['-inform', 'DER', '-in', signed, '-content', data, '-binary', '-CAfile', roots, '-out', '/dev/null'];
  assert.equal(spawnSync('openssl', ['cms', '-verify', ...checks]).status, 0);
  const key = path('key.pem', signer.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const parts = ['-signer', path('signer.pem', pem(signer)), '-inkey', key, '-in', data, '-outform', 'DER'];
  for (const more of [[], ['-keyid'], ['-nosmimecap'], ['-md', 'sha512']]) {
    const cms = execFileSync('openssl', ['cms', '-sign', '-binary', ...parts, ...more]);
    assert.equal(verifyX509Signature(payload, armor(cms), trust)?.chain?.length, 2, more.join(' '));
  }
  const bare = execFileSync('openssl', ['cms', '-sign', '-binary', '-noattr', ...parts]);
  assert.ok(verifyX509Signature(payload, armor(bare), trust));
  const old = execFileSync('openssl', ['cms', '-sign', '-binary', '-md', 'sha1', ...parts]);
  assert.equal(verifyX509Signature(payload, armor(old), trust), undefined);
});

test('signatures of gpgsm are verified', () => {
  const found = verifyX509Signature(
    Buffer.from(gpgsm.payload),
    gpgsm.signature,
    new TrustStore([new X509Certificate(gpgsm.root)]),
  );
  assert.equal(found?.certificate.subject, 'CN=ann+emailAddress=ann@example.com,OU=Example\\, é,O=World');
  assert.equal(found.chain?.length, 2);
});
