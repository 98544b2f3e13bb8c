import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCertificate } from '../../../../../src/platform/git/signatures/x509/certificate.ts';
import { findRevoked } from '../../../../../src/platform/git/signatures/x509/crl.ts';
import { NotDer } from '../../../../../src/platform/git/signatures/x509/der.ts';
import { der, extension, issueRoot, revocationList, sequence } from '../../../../support/x509.ts';

const root = issueRoot();
const issuer = readCertificate(root.certificate);
const serials = [1n, 0x80n, 0x7fff_ffff_ffff_ffff_ffffn, 0xff00_0000_0000_0000_0000n];

describe('certificate revocation list', () => {
  it('contains the revoked serial numbers', () => {
    assert.deepEqual(findRevoked(revocationList(root, serials), issuer, [...serials, 2n, 0x8000n]), serials);
    assert.deepEqual(findRevoked(revocationList(root, []), issuer, serials), []);
    const text = revocationList(root, serials).toString('base64');
    const pem = Buffer.from(`-----BEGIN X509 CRL-----\n${text}\n-----END X509 CRL-----\n`);
    assert.deepEqual(findRevoked(pem, issuer, [1n]), [1n]);
  });

  it('can be long', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => BigInt(index) + 0x4000_0000_0000n);
    const last = many.at(-1) as bigint;
    assert.deepEqual(findRevoked(revocationList(root, many), issuer, [last, last + 1n]), [last]);
  });

  it('must be signed by its issuer and be complete', () => {
    const other = issueRoot();
    const bad = {
      'by another key': revocationList(other, serials),
      'another issuer name': revocationList({ ...root, name: sequence() }, serials),
      'a delta list': revocationList(root, serials, {
        extensions: [extension('2.5.29.27', der(0x02, Buffer.from([1])), true)],
      }),
      'an indirect list': revocationList(root, serials, {
        extensions: [extension('2.5.29.28', sequence(der(0x84, Buffer.from([0xff]))), true)],
      }),
      empty: Buffer.alloc(0),
      'an HTML page': Buffer.from('<html>not found</html>'),
    };
    for (const [kind, list] of Object.entries(bad)) {
      assert.throws(() => findRevoked(list, issuer, serials), NotDer, kind);
    }
    const nonSigning = issueRoot({ keyUsage: 0x04 });
    assert.throws(
      () => findRevoked(revocationList(nonSigning, serials), readCertificate(nonSigning.certificate), serials),
      NotDer,
    );
    const own = revocationList(root, serials, { extensions: [extension('2.5.29.28', sequence(), true)] });
    assert.deepEqual(findRevoked(own, issuer, serials), serials);
  });

  it('is rejected when truncated or corrupted', () => {
    const good = revocationList(root, serials);
    for (let at = 0; at < good.length; at++) {
      assert.throws(() => findRevoked(good.subarray(0, at), issuer, serials), NotDer, `cut at ${at}`);
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      assert.throws(() => findRevoked(bytes, issuer, serials), `byte ${at}`);
    }
  });
});
