import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'directories-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const file = (content: unknown) => {
  const path = join(folder, `${++count}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const good = { provider: 'ldapsecond', url: 'ldaps://second.example.com', base: 'dc=second' };

describe('file with further directories', () => {
  it("uses the names of the first directory's settings", () => {
    const more = { bind_dn: 'cn=reader', password: 'a secret', external_groups: ['guests', 'temps'] };
    const path = file([
      { ...good, ...more, active_directory: true },
      { ...good, provider: 'ldapthird' },
    ]);
    const { ldapDirectories } = loadConfig(['--ldap-directories', relative(process.cwd(), path)]);
    assert.equal(ldapDirectories?.path, path);
    const [second, third] = ldapDirectories?.entries ?? [];
    assert.equal(second?.ldapPassword, 'a secret');
    assert.equal(second?.ldapActiveDirectory, true);
    assert.deepEqual(second?.ldapExternalGroups, ['guests', 'temps']);
    assert.deepEqual([third?.ldapProvider, third?.ldapUid, third?.ldapLinkByEmail], ['ldapthird', 'uid', false]);
  });

  const wrong: [string, unknown, RegExp][] = [
    ['invalid JSON', '[{"password": "hush', /list of directories in JSON: invalid content/],
    ['a single object', good, /list of directories in JSON/],
    ['a number as a value', [{ ...good, base: 1 }], /list of directories in JSON/],
    ['an unknown name', [{ ...good, bindDn: 'x' }], /directory 1: unknown setting bindDn/],
    ['no URL', [good, { provider: 'ldapx', base: 'dc=x' }], /directory 2: url: needed/],
    ['no name', [{ url: good.url, base: good.base }], /directory 1: provider: needed/],
    ['an invalid name', [{ ...good, provider: 'main' }], /expected a name such as ldapmain/],
    ['an invalid URL', [{ ...good, url: 'https://x' }], /expected an address such as ldaps/],
    ['no base', [{ ...good, base: '' }], /base: needed with the URL/],
    ['both ldaps and STARTTLS', [{ ...good, start_tls: true }], /start_tls: an ldaps/],
    ['a duplicate name', [good, good], /two are called ldapsecond/],
  ];
  for (const [problem, content, message] of wrong) {
    it(`is rejected with ${problem}`, () => {
      assert.throws(
        () => loadConfig(['--ldap-directories', file(content)]),
        (error) => {
          assert.match(`${error}`, message);
          assert.doesNotMatch(`${error}`, /hush/);
          return true;
        },
      );
    });
  }

  it('is rejected when it is missing or contains the name of the first directory', () => {
    assert.throws(() => loadConfig(['--ldap-directories', join(folder, 'none')]), /ENOENT/);
    const first = [
      '--ldap-url',
      'ldap://first.example.com',
      '--ldap-base',
      'dc=first',
      '--ldap-provider',
      'ldapsecond',
    ];
    assert.throws(
      () => loadConfig([...first, '--ldap-directories', file([good])]),
      /ldapsecond is the name of the first/,
    );
    assert.throws(() => loadConfig(['--ldap-url', 'ldap://x']), /--ldap-base: needed with the URL/);
  });
});
