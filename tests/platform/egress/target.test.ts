import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressRefused, readTarget } from '../../../src/platform/egress/target.ts';

const git = { schemes: ['http', 'https', 'ssh', 'git'], lowPorts: [22, 80, 443] };

test('all spellings of a host are normalized', () => {
  const spellings: [string, string][] = [
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://127%2e0.0.1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://[::1]/', '::1'],
    ['http://[0:0::0:1]/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://example.com@127.0.0.1/', '127.0.0.1'],
    ['http://example.com:80@127.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1#@example.com/', '127.0.0.1'],
    ['http://127.0.0.1?@example.com/', '127.0.0.1'],
    ['http:127.0.0.1/', '127.0.0.1'],
    ['http:////127.0.0.1/', '127.0.0.1'],
    ['HTTP://LOCALHOST/', 'localhost'],
    ['http://localhost./', 'localhost'],
    ['http://ⓛocalhost/', 'localhost'],
    ['http://Example.COM.:8080/x', 'example.com'],
    ['ssh://git@2130706433/x', '127.0.0.1'],
    ['ssh://git@0x7f.1:22/x', '127.0.0.1'],
    ['ssh://git@%6cocalhost/x', 'localhost'],
    ['git://[::1]/x', '::1'],
  ];
  for (const [text, host] of spellings) {
    const target = readTarget(text, git);
    assert.equal(target.host, host, text);
    assert.equal(target.url.hostname.replace(/[[\]]/g, ''), host, `the normalized URL for ${text}`);
  }
});

test('rejects malformed, ambiguous and disallowed URLs', () => {
  const refusals: [string, RegExp][] = [
    ['', /URI is invalid/],
    ['example.com', /URI is invalid/],
    ['//example.com', /URI is invalid/],
    ['http://', /URI is invalid/],
    ['http://exa mple.com', /URI is invalid/],
    ['http://example.com/\r\nHost: x', /URI is invalid/],
    ['http://exam\tple.com/', /URI is invalid/],
    ['http://good.com\\@127.0.0.1/', /URI is invalid/],
    ['http://127.0.0.1\0.example.com/', /URI is invalid/],
    ['http://[fe80::1%25eth0]/', /URI is invalid/],
    ['http://[::1%lo]/', /URI is invalid/],
    ['http://256.1.1.1/', /URI is invalid/],
    ['http://1.2.3.4.5/', /URI is invalid/],
    ['http://example.com:99999/', /URI is invalid/],
    ['http://example.com:0/', /URI is invalid/],
    ['file:///etc/passwd', /Only allowed schemes are http, https/],
    ['gopher://127.0.0.1:6379/_x', /Only allowed schemes/],
    ['ftp://example.com/', /Only allowed schemes/],
    ['javascript:alert(1)', /Only allowed schemes/],
    ['ext::sh -c id', /URI is invalid/],
    ['ssh://example.com/', /Only allowed schemes/],
    ['http://-oProxyCommand=id@example.com/', /Username needs to start/],
    ['http://%2doProxyCommand@example.com/', /Username needs to start/],
    ['http://-example.com/', /Hostname or IP address invalid/],
    [`http://${'a'.repeat(300)}/`, /Hostname or IP address invalid/],
    ["http://exam'ple.com/", /Hostname or IP address invalid/],
  ];
  for (const [text, reason] of refusals) {
    assert.throws(
      () => readTarget(text),
      (error: Error) => error instanceof EgressRefused && reason.test(error.message),
      text,
    );
  }
  const forGit: [string, RegExp][] = [
    ['ssh://-oProxyCommand=id/x', /Hostname or IP address invalid/],
    ['ssh:///x', /Hostname or IP address invalid/],
    ['ssh://git@a%40b/x', /Hostname or IP address invalid/],
    ['http://example.com:25/', /Only allowed ports are 22, 80, 443, and any over 1024/],
    ['http://example.com:6/', /Only allowed ports/],
  ];
  for (const [text, reason] of forGit) assert.throws(() => readTarget(text, git), reason, text);
});

test('the port defaults to that of the scheme', () => {
  const ports: [string, number][] = [
    ['http://a/', 80],
    ['https://a/', 443],
    ['https://a:8443/', 8443],
    ['ssh://a/', 22],
    ['http://a:80/', 80],
  ];
  for (const [text, port] of ports) assert.equal(readTarget(text, git).port, port);
});
