import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readChallenge, tokenAddress } from '../../../src/ci/dependency-proxy/pulls/challenge.ts';
import { readProxyName, routeProxyUrl, upstreamAddress } from '../../../src/ci/dependency-proxy/pulls/names.ts';
import { scopesPull } from '../../../src/ci/dependency-proxy/pulls/rights.ts';
import { readToken, refusalOf } from '../../../src/ci/dependency-proxy/pulls/upstream.ts';
import { applyChange } from '../../../src/ci/dependency-proxy/settings/service.ts';
import { dependencyProxyMistakes } from '../../../src/config/dependency-proxy.ts';

describe('dependency proxy rules', () => {
  it('recognize pull URLs', () => {
    const cases: [string, string][] = [
      ['/v2/a/dependency_proxy/containers/alpine/manifests/3', '/-/dependency_proxy/a/alpine/manifests/3'],
      [
        '/v2/a/b/dependency_proxy/containers/x/y/blobs/sha256:1?a=b',
        '/-/dependency_proxy/a%2Fb/x%2Fy/blobs/sha256:1?a=b',
      ],
      [
        '/v2/a/dependency_proxy/containers/b/dependency_proxy/containers/c/manifests/1',
        '/-/dependency_proxy/a/b%2Fdependency_proxy%2Fcontainers%2Fc/manifests/1',
      ],
      ['/v2/a/dependency_proxy/containers/alpine/tags/list', '/v2/a/dependency_proxy/containers/alpine/tags/list'],
      ['/v2/dependency_proxy/containers/alpine/manifests/3', '/v2/dependency_proxy/containers/alpine/manifests/3'],
      ['/v2/a/b/manifests/3', '/v2/a/b/manifests/3'],
      ['/a/dependency_proxy/containers/b/manifests/3', '/a/dependency_proxy/containers/b/manifests/3'],
    ];
    for (const [url, routed] of cases) assert.equal(routeProxyUrl(url), routed, url);
  });

  it('split image names into group and image', () => {
    assert.deepEqual(readProxyName('a/b/dependency_proxy/containers/c/d'), { group: 'a/b', image: 'c/d' });
    assert.equal(readProxyName('a/b/containers/c'), undefined);
    assert.equal(readProxyName('dependency_proxy/containers/c'), undefined);
  });

  it('map images to URLs of the upstream registry', () => {
    const cases: [string, string, string][] = [
      ['https://registry-1.docker.io', 'alpine', 'https://registry-1.docker.io/v2/library/alpine'],
      ['https://registry-1.docker.io', 'bitnami/redis', 'https://registry-1.docker.io/v2/bitnami/redis'],
      ['https://mirror.test:8443/hub', 'alpine', 'https://mirror.test:8443/v2/hub/library/alpine'],
    ];
    for (const [registry, image, address] of cases) assert.equal(upstreamAddress(registry, image), address);
  });

  it('parse authentication challenges', () => {
    assert.deepEqual(readChallenge('Bearer realm="https://a.test/t",service="a, \\"b\\"",scope="repository:x:pull"'), {
      kind: 'bearer',
      realm: 'https://a.test/t',
      service: 'a, "b"',
      scope: 'repository:x:pull',
    });
    assert.deepEqual(readChallenge('bearer Realm=https://a.test/t'), { kind: 'bearer', realm: 'https://a.test/t' });
    assert.deepEqual(readChallenge('Basic realm="x"'), { kind: 'basic' });
    for (const odd of [undefined, '', 'Bearer', 'Bearer realm=""', 'Negotiate abc', `Basic ${'x'.repeat(5000)}`]) {
      assert.equal(readChallenge(odd), undefined, odd);
    }
  });

  it('build token URLs unless credentials would be sent unencrypted', () => {
    const requested = (registry: string, realm: string) =>
      tokenAddress(registry, { kind: 'bearer', realm, service: 's', scope: 'repository:a/b:pull' });
    const wanted = '?x=1&service=s&scope=repository%3Aa%2Fb%3Apull';
    assert.equal(requested('https://r.test', 'https://auth.test/token?x=1'), `https://auth.test/token${wanted}`);
    assert.equal(requested('http://r.test', 'http://auth.test/token?x=1'), `http://auth.test/token${wanted}`);
    assert.equal(requested('https://r.test', 'http://auth.test/token'), undefined);
    assert.equal(requested('https://r.test', 'file:///etc/passwd'), undefined);
    assert.equal(requested('https://r.test', '/token'), undefined);
  });

  it('extract the token from a response', () => {
    assert.equal(readToken('{"token":"a.b"}'), 'a.b');
    assert.equal(readToken('{"access_token":"c"}'), 'c');
    for (const odd of ['', '[]', 'null', '{"token":1}', '{"token":"a\\r\\nb"}', '{"token":""}', '{}']) {
      assert.equal(readToken(odd), undefined, odd);
    }
  });

  it('map upstream statuses to errors', () => {
    const cases: [number, number | undefined, boolean][] = [
      [200, undefined, false],
      [404, 404, false],
      [401, 403, false],
      [403, 403, false],
      [429, 429, true],
      [500, 503, true],
      [302, 503, true],
    ];
    for (const [status, answered, isTemporary] of cases) {
      const refusal = refusalOf({ status, headers: { 'retry-after': '7' } }, 'BLOB_UNKNOWN');
      assert.deepEqual([refusal?.status, refusal?.isTemporary ?? false], [answered, isTemporary], `${status}`);
    }
    assert.equal(
      refusalOf({ status: 429, headers: { 'retry-after': '7' } }, 'BLOB_UNKNOWN')?.headers['retry-after'],
      '7',
    );
  });

  it('require both scopes, because pulling also stores', () => {
    const cases: [string, boolean][] = [
      ['api', true],
      ['read_registry write_registry', true],
      ['read_virtual_registry write_virtual_registry', true],
      ['read_registry', false],
      ['write_registry', false],
      ['read_registry write_virtual_registry', false],
      ['read_api', false],
      ['', false],
    ];
    for (const [scopes, may] of cases) assert.equal(scopesPull({ scopes: new Set(scopes.split(' ')) }), may, scopes);
  });

  it('apply and validate settings', () => {
    const row = {
      group_id: 1,
      enabled: 1,
      identity: null,
      secret: null,
      ttl_enabled: 0,
      ttl: 90,
      created_at: 1,
      updated_at: 1,
    };
    const to = (change: Parameters<typeof applyChange>[1], before = row as Parameters<typeof applyChange>[0]) =>
      applyChange(before, change, (plain) => `<${plain}>`);
    assert.deepEqual(to({}), row);
    assert.deepEqual(to({ enabled: false, ttl_enabled: true, ttl: 7 }), { ...row, enabled: 0, ttl_enabled: 1, ttl: 7 });
    const signedIn = { ...row, identity: 'me', secret: '<pw>' };
    assert.deepEqual(to({ identity: 'me', secret: 'pw' }), signedIn);
    assert.deepEqual(to({ enabled: true }, signedIn), signedIn);
    assert.deepEqual(to({ identity: 'you' }, signedIn), { ...signedIn, identity: 'you' });
    assert.deepEqual(to({ identity: '', secret: '' }, signedIn), row);
    const wrong: Parameters<typeof applyChange>[1][] = [
      { ttl: 0 },
      { ttl: -1 },
      { ttl: 1e9 },
      { identity: 'me' },
      { secret: 'pw' },
      { identity: 'a:b', secret: 'pw' },
      { identity: 'x'.repeat(256), secret: 'pw' },
      { identity: 'me', secret: 'x'.repeat(256) },
    ];
    for (const change of wrong) assert.throws(() => to(change), { status: 400 }, JSON.stringify(change));
    assert.throws(() => to({ secret: '' }, signedIn), { status: 400 });
  });

  it('require both username and password in the configuration', () => {
    const settings = { dependencyProxy: 'on', dependencyProxyUrl: 'https://a.test' } as const;
    const reported = (dependencyProxyUser: string | undefined, dependencyProxyPassword: string | undefined) =>
      dependencyProxyMistakes({ ...settings, dependencyProxyUser, dependencyProxyPassword }).map(([name]) => name);
    assert.deepEqual(reported(undefined, undefined), []);
    assert.deepEqual(reported('a', 'b'), []);
    assert.deepEqual(reported('a', undefined), ['dependencyProxyUser']);
    assert.deepEqual(reported(undefined, 'b'), ['dependencyProxyPassword']);
  });
});
