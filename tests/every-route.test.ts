import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { scopesCover } from '../src/access/credentials/scopes.ts';
import { noPermissions } from '../src/access/custom-permissions.ts';
import { type AbilityRule, allows, groupAbilities, projectAbilities } from '../src/access/policy.ts';
import { Role, Visibility } from '../src/access/roles.ts';
import type { Route } from '../src/access/route.ts';
import { addCast, type Cast, type Stage } from './support/cast.ts';
import { forEachEngine } from './support/engines.ts';
import { examplePath, exampleRequest } from './support/examples.ts';
import type { Answer, ApiClient } from './support/server.ts';
import { startServerWithRoutes } from './support/server-with-routes.ts';

const member = { permissions: noPermissions, signedIn: true, external: false, admin: false, auditor: false };
const privateSubject = { visibility: Visibility.private, archived: false, topLevel: true, featureLevel: () => 20 };

/** The policy rule of the ability required by a route, if any. */
function ruleOf({ gate: { asks } }: Route): AbilityRule | undefined {
  const abilities: Readonly<Record<string, AbilityRule>> = asks.subject === 'group' ? groupAbilities : projectAbilities;
  return asks.ability === undefined ? undefined : abilities[asks.ability];
}

/** Whether a route requires more than plain membership at a level. */
function asksMore(route: Route, level: number): boolean {
  const rule = ruleOf(route);
  return rule !== undefined && !allows(rule, { ...member, level }, privateSubject);
}

/** Calls every route as users without access. No area is named here, so new areas are covered automatically. */
forEachEngine((engine) => {
  describe('every route', () => {
    let server: ApiClient;
    let cast: Cast;
    let routes: readonly Route[];

    before(async () => {
      ({ server, routes } = await startServerWithRoutes(engine));
      cast = await addCast(server);
    });

    const ask = async (route: Route, path: string, token: string | null): Promise<Answer> => {
      const answer = await server.api(exampleRequest(route, path).call, { token, ...withBody(route, path) });
      assert.ok(answer.status < 500, `${route.method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    };
    const withBody = (route: Route, path: string) => {
      const { json } = exampleRequest(route, path);
      return json === undefined ? {} : { json };
    };
    const subjectIds = (stage: Stage, route: Route) =>
      route.path.startsWith('/groups') ? { id: `${stage.group.id}` } : { id: `${stage.project.id}` };
    const inPlaces = (route: Route) => /^\/(projects|groups)\/:id/.test(route.path);

    it('rejects an unknown token', async () => {
      for (const route of routes) {
        const answer = await ask(route, examplePath(route, { id: '1' }), 'glpat-no-such-token');
        assert.equal(answer.status, 401, `${route.method} ${route.path}: ${answer.text}`);
        assert.deepEqual(answer.body, { message: '401 Unauthorized' });
      }
    });

    it('rejects a blocked user', async () => {
      for (const route of routes) {
        const answer = await ask(route, examplePath(route, { id: '1' }), cast.blocked);
        assert.equal(answer.status, 403, `${route.method} ${route.path}: ${answer.text}`);
        assert.deepEqual(answer.body, { message: '403 Forbidden - Your account has been blocked.' });
      }
    });

    it('rejects write requests with a read-only token', async () => {
      const scopes = new Set(['read_api']);
      for (const route of routes.filter((one) => !scopesCover(scopes, one.method, one.scopes))) {
        const answer = await ask(route, examplePath(route, { id: '1' }), cast.readOnly);
        assert.equal(answer.status, 403, `${route.method} ${route.path}: ${answer.text}`);
        assert.equal(answer.body.error, 'insufficient_scope');
      }
    });

    it('gives the same response for private as for missing objects', async () => {
      const [stage] = cast.stages.filter((one) => one.visibility === 'private') as [Stage];
      for (const route of routes.filter(inPlaces)) {
        for (const token of [null, cast.outsider]) {
          const real = await ask(route, examplePath(route, subjectIds(stage, route)), token);
          const missing = await ask(route, examplePath(route, { id: '999999' }), token);
          const where = `${route.method} ${route.path} as ${token === null ? 'nobody' : 'an outsider'}`;
          assert.equal(real.status, missing.status, `${where}: ${real.text} / ${missing.text}`);
          assert.equal(real.text.replaceAll(/\d+/g, 'N'), missing.text.replaceAll(/\d+/g, 'N'), where);
          assert.ok(real.status >= 400, `${where}: ${real.status} ${real.text}`);
        }
      }
    });

    it('rejects members without the required role', async () => {
      const [stage] = cast.stages.filter((one) => one.visibility === 'private') as [Stage];
      let [asked, forbidden] = [0, 0];
      for (const route of routes.filter(inPlaces)) {
        for (const [level, token] of cast.members) {
          if (!asksMore(route, level)) continue;
          const { status, text } = await ask(route, examplePath(route, subjectIds(stage, route)), token);
          assert.ok(status >= 400, `${route.method} ${route.path} at level ${level}: ${status} ${text}`);
          asked += 1;
          if (status === 403) forbidden += 1;
        }
      }
      // The remaining routes hide the object or reject the example parameters first.
      assert.ok(forbidden > 0.9 * asked, `${forbidden} of ${asked}`);
    });

    it('lets an owner read everything the policy allows', async () => {
      const [stage] = cast.stages.filter((one) => one.visibility === 'private') as [Stage];
      for (const route of routes.filter((one) => inPlaces(one) && one.method === 'GET')) {
        if (ruleOf(route) === undefined || asksMore(route, Role.owner)) continue;
        const path = examplePath(route, subjectIds(stage, route));
        const { status, text } = await ask(route, path, cast.members.get(Role.owner) ?? null);
        if (status !== 401 && status !== 403) continue;
        // 403 also means that some things do not exist; then administrators get it, too.
        const { status: toRoot } = await server.api(exampleRequest(route, path).call);
        assert.equal(status, toRoot, `GET ${route.path}: ${status} ${text}`);
      }
    });

    it('lets outsiders change nothing in internal and public projects', async () => {
      for (const stage of cast.stages.filter((one) => one.visibility !== 'private')) {
        for (const route of routes.filter((one) => inPlaces(one) && one.method !== 'GET')) {
          const answer = await ask(route, examplePath(route, subjectIds(stage, route)), null);
          // A redirect changes nothing.
          assert.ok(answer.status >= 300, `${route.method} ${route.path} as nobody: ${answer.status} ${answer.text}`);
        }
      }
    });

    it('hides internal projects from anonymous users', async () => {
      const [stage] = cast.stages.filter((one) => one.visibility === 'internal') as [Stage];
      for (const route of routes.filter((one) => inPlaces(one) && one.method === 'GET')) {
        const answer = await ask(route, examplePath(route, subjectIds(stage, route)), null);
        assert.ok(
          [400, 401, 404].includes(answer.status),
          `${route.method} ${route.path}: ${answer.status} ${answer.text}`,
        );
        assert.ok(!answer.text.includes('secret-'), `${route.method} ${route.path} leaks`);
      }
    });
  });
});
