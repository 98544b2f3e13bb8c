import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createGates } from '../src/access/gates.ts';
import type { Route } from '../src/access/route.ts';
import { routesOf } from '../src/areas.ts';
import type { ParamMap } from '../src/platform/http/params.ts';
import { addStage, addUser, type Stage } from './support/cast.ts';
import { forEachEngine } from './support/engines.ts';
import { exampleParams, examplePath } from './support/examples.ts';
import fc from './support/properties.ts';
import { rootToken, type Sending, startTestServer, type TestServer } from './support/server.ts';

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly items?: Schema;
}

/** Values that have crashed servers before. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\0',
    'a\0b',
    '..',
    '../../etc/passwd',
    '%2e%2e%2f',
    '-1',
    '--help',
    '--upload-pack=x',
    '$(id)',
    "' or 1=1 --",
    '1e999',
    '9'.repeat(40),
    'NaN',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '\ud800',
    '💥'.repeat(50),
    'a'.repeat(5000),
    '\n',
    '\r\nX-Injected: 1',
    'refs/heads/../../x',
    '.git',
    'HEAD',
    '0'.repeat(40),
    'f'.repeat(40),
    true,
    false,
    null,
    0,
    -1,
    2 ** 53,
    -(2 ** 53),
    1.5,
    1e308,
    [],
    {},
    [[]],
    [null],
    [{}],
    { a: { b: { c: 1 } } },
    { __proto__: 1 },
    ['a', ['b']],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

forEachEngine((engine) => {
  describe('malformed requests', () => {
    let server: TestServer;
    let stage: Stage;
    let member: string;
    let routes: Route[];

    before(async () => {
      server = await startTestServer(engine);
      stage = await addStage(server, 'public');
      member = (await addUser(server, 'fuzz')).token;
      const { services } = server.running;
      routes = routesOf(services, createGates(services.db, services.externalUrl));
    });

    const places = (route: Route): Record<string, string> => {
      if (route.path.startsWith('/groups')) return { id: `${stage.group.id}` };
      return route.path.startsWith('/projects') ? { id: `${stage.project.id}` } : {};
    };
    // Skip routes that delete or disable the test objects, which would make the remaining requests trivial.
    const spares = (route: Route) =>
      !(route.method === 'DELETE' && /^\/(groups|projects)\/:id$/.test(route.path)) &&
      !/\/(archive|transfer|block|deactivate|ban|rotate)$/.test(route.path) &&
      !/^\/personal_access_tokens|^\/users\/:id/.test(route.path);

    const refuses = async (call: string, sending: Sending) => {
      const answer = await server.api(call, sending);
      const sent = JSON.stringify(sending.json) ?? '';
      assert.ok(answer.status < 500, `${call} ${sent}: ${answer.status} ${answer.text}`);
    };

    it('with random parameter values never cause a server error', async () => {
      for (const route of routes.filter(spares)) {
        const names = Object.keys(route.params as ParamMap);
        const values = fc.record(Object.fromEntries(names.map((name) => [name, hostile])), { requiredKeys: [] });
        const path = examplePath(route, places(route));
        const samples = fc.sample(fc.tuple(values, fc.constantFrom(rootToken, member, null)), { numRuns: 6, seed: 7 });
        const calls = samples.map(([chosen, token]) => {
          const sent = { ...exampleParams(route), ...chosen };
          if (route.method === 'GET') return refuses(`GET ${path}?${query(sent)}`, { token });
          return refuses(`${route.method} ${path}`, { token, json: sent });
        });
        await Promise.all(calls);
      }
    });

    it('with very long lists never cause a server error', async () => {
      // The maximum length, which exceeds the number of bindings of a SQLite statement.
      const count = 50_000;
      const of = (schema: Schema): unknown[] | undefined => {
        const { type, enum: words } = schema.items ?? {};
        if (schema.type !== 'array' || words || type === 'object') return undefined;
        return Array.from({ length: count }, (_, n) => (type === 'integer' ? n + 1 : `name${n}`));
      };
      for (const route of routes.filter((one) => one.method !== 'GET' && spares(one))) {
        const path = examplePath(route, places(route));
        for (const [name, { schema }] of Object.entries(route.params as ParamMap)) {
          const list = of(schema as Schema);
          if (!list) continue;
          const json = { ...exampleParams(route), [name]: list };
          const { status, text } = await server.api(`${route.method} ${path}`, { token: rootToken, json });
          assert.ok(status < 500, `${route.method} ${path}, ${name}: ${status} ${text}`);
        }
      }
    });

    it('with very large numbers never cause a server error', async () => {
      const failures: string[] = [];
      for (const route of routes.filter(spares)) {
        const path = examplePath(route, places(route));
        const numbers = Object.entries(route.params as ParamMap).filter(
          ([name, { schema }]) =>
            [(schema as Schema).type].flat().includes('integer') && !route.path.includes(`:${name}`),
        );
        const calls = numbers.flatMap(([name]) =>
          [2 ** 31, Number.MAX_SAFE_INTEGER].map(async (number) => {
            const json = { ...exampleParams(route), [name]: number };
            const isGet = route.method === 'GET';
            const call = `${route.method} ${path}${isGet ? `?${query(json)}` : ''}`;
            const { status } = await server.api(call, { token: rootToken, ...(isGet ? {} : { json }) });
            if (status >= 500) failures.push(`${route.method} ${route.path}, ${name}: ${number}`);
          }),
        );
        await Promise.all(calls);
      }
      assert.deepEqual(failures, []);
    });

    it('with odd path segments never cause a server error', async () => {
      const odd = '.. %00 %ff - 0 -1 a%2F..%2Fb %F0%9F%92%A5 99999999999999999999 { %2F %2525'.split(' ');
      for (const route of routes) {
        const paths = [...odd, 'a'.repeat(3000)].map((value) =>
          route.path.replace(/:([A-Za-z_]+)(\([^)]*\))?/g, value).replace(/\*$/, value),
        );
        const changed = paths.filter((path) => path !== route.path);
        await Promise.all(changed.map((path) => refuses(`${route.method} ${path}`, { token: member })));
      }
    });

    it('with an empty path segment for a number never cause a server error', async () => {
      for (const route of routes) {
        const numbers = Object.entries(route.params as ParamMap).filter(
          ([name, { schema }]) => name !== 'id' && (schema as Schema).type === 'integer',
        );
        const emptied = numbers.map(([name]) => examplePath(route, { ...places(route), [name]: '' }));
        const changed = emptied.filter((path) => path !== examplePath(route, places(route)));
        await Promise.all(changed.map((path) => refuses(`${route.method} ${path}`, { token: rootToken })));
      }
    });

    it('with malformed bodies never cause a server error', async () => {
      const bodies: [string, string][] = [
        ['application/json', '{'],
        ['application/json', '[]'],
        ['application/json', '"text"'],
        ['application/json', '\xff\xfe'],
        ['application/json', '['.repeat(5000)],
        ['application/x-www-form-urlencoded', 'a[b=%ff'],
        ['application/x-www-form-urlencoded', `${'a[b]'.repeat(2)}${'[c]'.repeat(50)}=1`],
        ['multipart/form-data', 'no boundary'],
        ['multipart/form-data; boundary=x', '--x\r\nbroken'],
        ['text/xml', '<a/>'],
        ['application/octet-stream', 'bytes'],
      ];
      for (const route of routes.filter((one) => one.method !== 'GET' && spares(one))) {
        const call = `${route.method} ${examplePath(route, places(route))}`;
        await Promise.all(
          bodies.map(([type, body]) => refuses(call, { token: member, body, headers: { 'content-type': type } })),
        );
      }
    });
  });
});

function query(values: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent((text ?? '').toWellFormed())}`);
  }
  return parts.join('&').slice(0, 12_000);
}
