import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numberIn, pathOnGroup, prefixOf, siteUrl, uniqueLabel } from '../../../src/ci/pages/addresses.ts';
import { rootOf } from '../../../src/ci/pages/deployments/contents.ts';
import { domainProblem } from '../../../src/ci/pages/domains/rules.ts';
import { readRules, redirectOf } from '../../../src/ci/pages/serving/redirects.ts';

describe('Pages addresses', () => {
  const place = { domain: 'pages.example', scheme: 'https', port: ':8443' } as const;

  it('identify a project by its ID, whatever its name', () => {
    for (const path of ['site', 'A.b_C', '...', `${'long-'.repeat(40)}`]) {
      const label = uniqueLabel({ id: 123, path });
      assert.match(label, /^[a-z0-9][a-z0-9-]*[a-z0-9]$/);
      assert.ok(label.length <= 63, label);
      assert.equal(numberIn(label), 123);
    }
    assert.equal(numberIn('site-123-000000'), undefined);
    assert.equal(numberIn('group'), undefined);
    assert.equal(numberIn(uniqueLabel({ id: 123, path: 'x' }).replace('123', '0123')), undefined);
  });

  it('are below the root group, or cover the whole host', () => {
    const site = (fullPath: string) => siteUrl(place, { project: { id: 1, path: '' }, fullPath, unique: false });
    assert.equal(site('Group/sub/project'), 'https://group.pages.example:8443/sub/project');
    assert.equal(site('group/group.pages.example'), 'https://group.pages.example:8443');
    assert.equal(pathOnGroup(place, 'group/sub/group.pages.example').path, '/sub/group.pages.example');
  });

  it('normalize path prefixes to letters, digits, dots and dashes', () => {
    assert.equal(prefixOf('User/Testing_Feature'), 'user-testing-feature');
    assert.equal(prefixOf('--.v1.2.-'), 'v1.2');
    assert.equal(prefixOf('ü'), '');
    assert.equal(prefixOf('a'.repeat(100)).length, 63);
    assert.equal(prefixOf(`${'a'.repeat(62)}/b`), 'a'.repeat(62));
  });

  it('restrict the published folder to the artifacts', () => {
    assert.deepEqual([null, 'dist', './dist//site/', '.', '/', '../x', 'a/../b'].map(rootOf), [
      'public',
      'dist',
      'dist/site',
      '',
      '',
      undefined,
      undefined,
    ]);
  });

  it('accept custom domains except those of the server', () => {
    const taken = ['pages.example', 'forge.example'];
    for (const domain of ['a.example', 'xn--bcher-kva.example', 'a-b.c1.example'])
      assert.equal(domainProblem(domain, taken), undefined);
    for (const domain of ['pages.example', 'x.pages.example', 'forge.example'])
      assert.match(domainProblem(domain, taken) ?? '', /reserved/);
    for (const domain of ['', 'a', '*.example', '::1', 'a.example.', `${'a.'.repeat(130)}example`])
      assert.ok(domainProblem(domain, taken), domain);
  });
});

describe('redirect rules', () => {
  const to = (rules: string, path: string, host = 'a.example') =>
    redirectOf(readRules(rules), host, path.split('/').filter(Boolean))?.to;

  it('match whole segments, and splats as many segments as possible', () => {
    const cases: readonly [string, string, string | undefined][] = [
      ['/a /b', '/a', '/b'],
      ['/a/ /b', '/a', '/b'],
      ['/a /b', '/a/x', undefined],
      ['/a/* /b/:splat', '/a/x/y', '/b/x/y'],
      ['/a/* /b/:splat', '/a', '/b/'],
      ['/old/*/file /new/:splat/file', '/old/a/b/file', '/new/a/b/file'],
      ['/old/*/file /new/:splat/file', '/old/file', '/new//file'],
      ['/*/b/* /:splat', '/x/b/y/b/z', '/x/b/y'],
      ['/news/:year/:slug /:year-:slug-:none', '/news/1/2', '/1-2-'],
      ['/old/:path /new/:path', '/old', undefined],
      ['/a /first\n/a /second', '/a', '/first'],
      ['# comment\n/a /b # more', '/a', '/b'],
      ['http://b.example/* https://c.example/:splat', '/x', undefined],
      ['http://a.example/* https://c.example/:splat', '/x', 'https://c.example/x'],
      ['/* //evil.example/:splat', '/x', '/evil.example/x'],
      ['/*/x /:splat', '//evil.example/x', '/evil.example'],
      ['/* /:splat', '/%5C%5Cevil', '/%255C%255Cevil'],
    ];
    for (const [rules, path, wanted] of cases) assert.equal(to(rules, path), wanted, `${rules} ${path}`);
  });

  it('reject unsupported rules', () => {
    for (const rule of [
      'a /b',
      '/a b',
      '/a',
      '/a /b 404',
      '/a /b 200!',
      '/a https://x.example 200',
      '/a /b 301 Role=x',
      `/${'a/'.repeat(30)} /b`,
    ]) {
      assert.ok('problem' in (readRules(rule)[0] ?? {}), rule);
    }
    assert.equal(readRules('/a /b\n'.repeat(2000)).length, 1000);
  });

  it('are evaluated in bounded time for adversarial paths', () => {
    const stars = `/${'*/'.repeat(24)}end /x`;
    assert.equal(to(`${stars}\n`.repeat(50), `/${'a/'.repeat(199)}`), undefined);
    assert.equal(to(stars, `/${'a/'.repeat(1000)}`), undefined);
  });
});
