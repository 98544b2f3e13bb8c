/** Uses IDs of foreign objects wherever an ID is accepted: they must not be read, used or changed. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Route } from '../../src/access/route.ts';
import { pathParams } from '../../src/platform/http/endpoint.ts';
import type { ParamMap } from '../../src/platform/http/params.ts';
import { forEachEngine } from '../support/engines.ts';
import { exampleParams, exampleValue } from '../support/examples.ts';
import { type PopulatedGroup, populateGroup, rowsOf } from '../support/populated-group.ts';
import type { TestServer } from '../support/server.ts';
import { startServerWithRoutes } from '../support/server-with-routes.ts';

const theirs = 'nightingale';
const ours = 'magpie';
const inPlaces = /^\/(projects|groups)\/:id\//;
/** The foreign project and group are filled first, so that the lowest IDs of each kind belong to them. */
const numbers = [1, 2, 3, 4, 5, 6];

/** Valid values for parameters whose example would be rejected before any ID is checked. */
const known: Readonly<Record<string, unknown>> = {
  ...{ source_branch: ours, target_branch: 'main', ref: 'main', ref_name: 'main', branch: 'main', sha: 'main' },
  ...{ tag_name: ours, slug: ours, key: `${ours}_KEY`, name: ours, feature_flag_name: ours, file_path: `${ours}.txt` },
  ...{ color: '#ffffff', expires_at: '2030-01-01', url: 'https://1.1.1.1/x', commit_message: 'x', cron: '0 1 * * *' },
  ...{ access_level: 30, group_access: 30, trigger: 'push_events' },
};

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
};

/** Test values for a parameter that accepts an ID. */
function trials(schema: Schema, name: string): unknown[] {
  const type = String(schema.type);
  if (schema.enum) return [];
  if (/(^|_)(id|ids|iid|iids)$/.test(name) && /integer|string/.test(type)) return numbers;
  if (type.includes('array') && schema.items) return trials(schema.items, name).map((value) => [value]);
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    trials(inner, key).map((value) => ({ [key]: value })),
  );
}

const schemaOf = (route: Route, name: string) => ((route.params as ParamMap)[name]?.schema ?? {}) as Schema;

forEachEngine((engine) => {
  describe('objects of another project or group', () => {
    let server: TestServer;
    let routes: readonly Route[];
    let victim: PopulatedGroup;
    let attacker: PopulatedGroup;

    before(async () => {
      const walked = await startServerWithRoutes(engine);
      server = walked.server as TestServer;
      routes = walked.routes.filter(({ path }) => inPlaces.test(path));
      victim = await populateGroup(server, theirs);
      attacker = await populateGroup(server, ours);
    });

    const addressOf = (route: Route, values: Readonly<Record<string, unknown>>) => {
      const id = route.path.startsWith('/groups') ? attacker.group.id : attacker.project.id;
      const value = (name: string) => values[name] ?? known[name] ?? exampleValue(schemaOf(route, name) as never);
      return route.path
        .replace(/:([A-Za-z_]+)(\([^)]*\))?/g, (_all, name: string) =>
          encodeURIComponent(String(name === 'id' ? id : value(name))),
        )
        .replace(/\*$/, 'example');
    };

    async function send(route: Route, values: Record<string, unknown>, sent: Record<string, unknown>): Promise<void> {
      const wanted = Object.entries(exampleParams(route)).map(([name, value]) => [name, known[name] ?? value]);
      const params = { ...Object.fromEntries(wanted), ...sent };
      const call = `${route.method} ${addressOf(route, values)}`;
      const reads = route.method === 'GET' || route.method === 'DELETE';
      const { status, text } = await server.api(call, {
        token: attacker.owner.token,
        ...(!reads && { json: params }),
      });
      const where = `${call} ${JSON.stringify(params)}: ${status} ${text.slice(0, 300)}`;
      assert.ok(status < 500, where);
      // User accounts are visible to all signed-in users, including bot users.
      const shown = text.replaceAll(`${theirs}-robot`, '').replaceAll(`"name":"${theirs}","state"`, '');
      const ofAccount = /"username":"[^"]*"[^{}]*nightingale/.test(shown);
      assert.ok(ofAccount || !shown.includes(theirs), where);
    }

    /** Requests own URLs with foreign IDs. */
    async function walkAddresses(method: string): Promise<void> {
      const some = routes.filter((route) => route.method === method && pathParams(route.path).length > 1);
      // Deepest URLs first: they are gone once their parent is deleted.
      for (const route of some.sort((a, b) => b.path.length - a.path.length)) {
        const names = pathParams(route.path).filter((name) => name !== 'id' && /(^|_)id$/.test(name));
        for (const name of names) for (const value of numbers) await send(route, { [name]: value }, {});
      }
    }

    /** Sends foreign IDs as parameters. */
    async function walkParameters(method: string): Promise<void> {
      for (const route of routes.filter((one) => one.method === method)) {
        const inPath = new Set(pathParams(route.path));
        for (const name of Object.keys(route.params).filter((one) => !inPath.has(one))) {
          for (const value of trials(schemaOf(route, name), name)) await send(route, {}, { [name]: value });
        }
      }
    }

    it('are not readable', () => walkAddresses('GET'));

    it('are neither used nor changed', async () => {
      const before = await rowsOf(server.db, victim);
      assert.ok(before.size > 100, `${before.size} rows`);
      for (const method of ['POST', 'PUT', 'PATCH']) await walkParameters(method);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) await walkAddresses(method);
      const after = await rowsOf(server.db, victim);
      assert.deepEqual([...before.symmetricDifference(after)], []);
    });
  });
});
