import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGates } from '../src/access/gates.ts';
import type { Route } from '../src/access/route.ts';
import type { Services } from '../src/access/services.ts';
import { areas } from '../src/areas.ts';
import { loadConfig } from '../src/config/config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Paths are literals where routes are declared, so they can be found there. */
function filesOfRoutes(): Map<string, string> {
  const files = new Map<string, string>();
  for (const file of globSync('src/**/*routes.ts', { cwd: root }).sort()) {
    const declared = readFileSync(join(root, file), 'utf8').matchAll(/method: '(\w+)',\s*path: '([^']+)'/g);
    for (const [, method, path = ''] of declared) files.set(`${method} ${path.replaceAll('\\\\', '\\')}`, file);
  }
  return files;
}

/** Declaring routes needs no server; the services are not used until a route is called. */
function routesByArea(): { readonly area: string; readonly routes: readonly Route[] }[] {
  const none = { config: loadConfig([], {}), externalUrl: '' } as Services;
  const gates = createGates(none.db, none.externalUrl);
  return areas.map(({ name, routes }) => ({ area: name, routes: routes?.(none, gates, () => []) ?? [] }));
}

function folderOf(area: string): string {
  const [found = ''] = globSync(`src/*/${area}/area.ts`, { cwd: root });
  return found && dirname(found);
}

const method = (name: string) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(name);

/** `docs/routes.md`: every operation, where it is declared, and who may call it. */
export function routesPage(): string {
  const files = filesOfRoutes();
  const rows = routesByArea().flatMap(({ area, routes }) =>
    routes.map((route) => {
      const { subject, ability } = route.gate.asks;
      const file = files.get(`${route.method} ${route.path}`) ?? folderOf(area);
      const path = route.path.replace(/\(\^[^/]*\$\)/g, '');
      const line = `| ${route.method} | \`${path}\` | ${file} | ${ability ? `\`${ability}\` (${subject})` : subject} |`;
      return { path, order: method(route.method), line };
    }),
  );
  rows.sort((a, b) => (a.path === b.path ? a.order - b.order : a.path < b.path ? -1 : 1));
  return `# Every operation

Written by \`npm run docs\` from the routes themselves; a test keeps the two alike. Paths are below \`/api/v4\`. *Who* is an
ability of [permissions.md](permissions.md), or whom the operation is open to.

| method | path | declared in | who |
|---|---|---|---|
${rows.map(({ line }) => line).join('\n')}
`;
}
