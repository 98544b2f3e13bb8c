import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createGates } from '../src/access/gates.ts';
import type { Route } from '../src/access/route.ts';
import type { ParamMap } from '../src/platform/http/params.ts';
import { allRoutes } from '../src/routes.ts';
import { addStage, addUser, type Stage } from './support/cast.ts';
import { forEachEngine } from './support/engines.ts';
import { exampleParams, examplePath } from './support/examples.ts';
import { rootToken, startTestServer, type TestServer } from './support/server.ts';

/** Values that have broken servers before. */
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
      routes = allRoutes(services, createGates(services.db, services.externalUrl));
    });

    const places = (route: Route): Record<string, string> => {
      if (route.path.startsWith('/groups')) return { id: `${stage.group.id}` };
      return route.path.startsWith('/projects') ? { id: `${stage.project.id}` } : {};
    };
    // What removes or shuts the stage itself would only make the rest of the run easier to pass.
    const spares = (route: Route) =>
      !(route.method === 'DELETE' && /^\/(groups|projects)\/:id$/.test(route.path)) &&
      !/\/(archive|transfer|block|deactivate|ban|rotate)$/.test(route.path) &&
      !/^\/personal_access_tokens|^\/users\/:id/.test(route.path);

    it('get a refusal, never a failure, whatever the parameters hold', async () => {
      for (const route of routes.filter(spares)) {
        const params = route.params as ParamMap;
        await fc.assert(
          fc.asyncProperty(
            fc.record(Object.fromEntries(Object.keys(params).map((name) => [name, hostile])), { requiredKeys: [] }),
            fc.constantFrom(rootToken, member, null),
            async (values, token) => {
              const path = examplePath(route, places(route));
              const sent = { ...exampleParams(route), ...values };
              const answer = await server.api(`${route.method === 'GET' ? 'DELETE' : route.method} ${path}`, {
                token,
                ...(route.method === 'GET' ? {} : { json: sent }),
              });
              const call = route.method === 'GET' ? await server.api(`GET ${path}?${query(sent)}`, { token }) : answer;
              assert.ok(
                call.status < 500,
                `${route.method} ${path} ${JSON.stringify(sent)}: ${call.status} ${call.text}`,
              );
            },
          ),
          { numRuns: 6, seed: 7 },
        );
      }
    });

    it('get a refusal, never a failure, whatever stands in the path', async () => {
      const odd = [
        '..',
        '%00',
        '%ff',
        '-',
        '0',
        '-1',
        'a%2F..%2Fb',
        'a'.repeat(3000),
        '%F0%9F%92%A5',
        '99999999999999999999',
        '{',
        '%2F',
        '%2525',
      ];
      for (const route of routes) {
        for (const value of odd) {
          const path = route.path.replace(/:([A-Za-z_]+)(\([^)]*\))?/g, value).replace(/\*$/, value);
          if (path === route.path) continue;
          const answer = await server.api(`${route.method} ${path}`, { token: member });
          assert.ok(answer.status < 500, `${route.method} ${path}: ${answer.status} ${answer.text}`);
        }
      }
    });

    it('get a refusal, never a failure, whatever the body is', async () => {
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
        for (const [type, body] of bodies) {
          const path = examplePath(route, places(route));
          const answer = await server.api(`${route.method} ${path}`, {
            token: member,
            body,
            headers: { 'content-type': type },
          });
          assert.ok(
            answer.status < 500,
            `${route.method} ${path} ${type} ${body.slice(0, 20)}: ${answer.status} ${answer.text}`,
          );
        }
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
