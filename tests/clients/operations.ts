import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The areas whose operations are all to be driven. */
const areas = ['people', 'namespaces', 'code', 'integrations', 'instance', 'planning', 'ci/badges', 'review'];

/** What a client alone cannot bring about: somebody who signed up and waits, a browser's session, a job that failed for good. */
const outOfReach = [
  'POST /users/{id}/approve',
  'POST /users/{id}/reject',
  'PATCH /users/{id}/disable_two_factor',
  'DELETE /user/sessions/{session_id}',
  'POST /admin/dead_jobs/{id}/retry',
  'DELETE /admin/dead_jobs/{id}',
];

/** What needs a directory behind the server. */
const directory = /\/ldap(_sync|\/)|\/override$/;

// Asked by HEAD as well as by GET, as the documents say.
const headers = /\/files\/{file_path}(\/blame|\/raw)?$/;

/**
 * The operations of these areas for which a server has not given one good answer since it started. The server counts:
 * so it is what came over the wire, not what a client has a method for.
 */
export async function undrivenOperations(url: string, hasDirectory: boolean): Promise<string[]> {
  const driven = answeredRoutes(await (await fetch(`${url}/-/metrics`)).text());
  return (await operations())
    .filter((operation) => hasDirectory || !directory.test(operation))
    .filter((operation) => !outOfReach.includes(operation) && !driven.has(operation));
}

/** As the page of all operations tells them, which another test keeps true. */
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

/** A path of a route, with what is in its place in braces. */
const written = (path: string) =>
  path
    .replaceAll(/\([^)]*\)/g, '')
    .replaceAll(/:(\w+)/g, '{$1}')
    .replace(/\*$/, '{path}');

/** The routes with a good answer. */
function answeredRoutes(metrics: string): Set<string> {
  const good = /^hearth_http_requests_total\{method="(\w+)",route="\/api\/v4([^"]+)",status="[23]\d\d"\}/gm;
  return new Set([...metrics.matchAll(good)].map(([, method, route = '']) => `${method} ${written(route)}`));
}
