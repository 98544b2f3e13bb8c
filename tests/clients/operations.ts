import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The areas whose operations must all be called. */
const areas = ['people', 'namespaces', 'code', 'integrations', 'instance', 'planning', 'ci/badges', 'review'];

/**
 * Operations that require something a client cannot create: a pending sign-up, a browser session, or a job that failed
 * permanently.
 */
const outOfReach = [
  'POST /users/{id}/approve',
  'POST /users/{id}/reject',
  'PATCH /users/{id}/disable_two_factor',
  'DELETE /user/sessions/{session_id}',
  'POST /admin/dead_jobs/{id}/retry',
  'DELETE /admin/dead_jobs/{id}',
];

/** Operations that require an LDAP server. */
const directory = /\/ldap(_sync|\/)|\/override$/;

// Documented for HEAD as well as GET.
const headers = /\/files\/{file_path}(\/blame|\/raw)?$/;

/**
 * Returns the operations of these areas without a successful response since the start of the server. Based on the
 * server's metrics, and thus on actual requests rather than on the methods of a client.
 */
export async function undrivenOperations(url: string, hasDirectory: boolean): Promise<string[]> {
  const driven = answeredRoutes(await (await fetch(`${url}/-/metrics`)).text());
  return (await operations())
    .filter((operation) => hasDirectory || !directory.test(operation))
    .filter((operation) => !outOfReach.includes(operation) && !driven.has(operation));
}

/** Reads the operations from the API overview, which is verified by another test. */
async function operations(): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'routes.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\w+) \| `([^`]+)` \| src\/(\S+) /gm)];
  return rows
    .filter(([, , , file = '']) => areas.some((area) => file.startsWith(`${area}/`)))
    .flatMap(([, method, path = '']) => {
      const named = written(path);
      return headers.test(named) ? [`${method} ${named}`, `HEAD ${named}`] : [`${method} ${named}`];
    });
}

/** A route path with parameters in braces. */
const written = (path: string) =>
  path
    .replaceAll(/\([^)]*\)/g, '')
    .replaceAll(/:(\w+)/g, '{$1}')
    .replace(/\*$/, '{path}');

/** The routes with a successful response. */
function answeredRoutes(metrics: string): Set<string> {
  const good = /^hearth_http_requests_total\{method="(\w+)",route="\/api\/v4([^"]+)",status="[23]\d\d"\}/gm;
  return new Set([...metrics.matchAll(good)].map(([, method, route = '']) => `${method} ${written(route)}`));
}
