import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseGpgKey } from '../../../../src/people/keys/gpg/public-key.ts';
import { gpgKeys, privateGpgKey } from '../specimens.ts';

describe('GPG public key', () => {
  for (const [name, { text, fingerprint, subkeys, emails }] of Object.entries(gpgKeys)) {
    it(`is parsed like gpg does: ${name}`, () => {
      assert.deepEqual(parseGpgKey(`\n${text}\n`), {
        fingerprint,
        keyId: fingerprint.slice(-16),
        subkeyIds: subkeys,
        emails,
      });
    });
  }

  it('may contain headers and CRLF line ends', () => {
    const { text, fingerprint } = gpgKeys.ada;
    const withHeader = text.replace('BLOCK-----\n', 'BLOCK-----\nVersion: GnuPG v2\nComment: mine\n');
    assert.equal(parseGpgKey(withHeader.replaceAll('\n', '\r\n'))?.fingerprint, fingerprint);
  });

  const { ada, rsa } = gpgKeys;
  const wrong: Record<string, string> = {
    'not a key': 'not a key',
    'an SSH key': 'ssh-ed25519 AAAA',
    'a private key': privateGpgKey,
    'a private key labelled public': privateGpgKey.replaceAll('PRIVATE', 'PUBLIC'),
    'a changed byte': ada.text.replace('mDME', 'mDMF'),
    truncated: ada.text.replace(/\n=.*\n/, '\n').replace(/\n[^\n]+(\n-----END)/, '$1'),
    'trailing text': `${ada.text}\nmore`,
    'two keys': `${ada.text}\n${rsa.text}`,
    nothing: '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n-----END PGP PUBLIC KEY BLOCK-----',
  };
  for (const [name, text] of Object.entries(wrong)) {
    it(`is rejected: ${name}`, () => assert.equal(parseGpgKey(text), undefined));
  }
});
