interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// What a repository is, and what belongs to it.
const families = new RegExp(
  [
    '/(repository|protected_branches|protected_tags|releases|statuses|events|snapshot|storage|uploads|statistics)(/|$)',
    '/(repository_size|deploy_keys|deploy_tokens|project_deploy_keys|push_rule|gpg_keys|keys|forks?)(/|$)',
    '/(languages|housekeeping)(/|$)',
    '/repository/archive',
  ].join('|'),
);

// Of the same words, but of other things.
const others = /\/(hooks|error_tracking|application|snippets|wikis)\//;

// Asked by HEAD as well as by GET, as the documents say.
const headers = /\/files\/{file_path}(\/blame|\/raw)?$/;

/**
 * The operations on repositories for which a server has not given one good answer since it started. The server counts:
 * so it is what came over the wire, not what a client has a method for.
 */
export async function undrivenOperations(url: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/api/v4/openapi.json`)).json()) as Document;
  const driven = answeredRoutes(await (await fetch(`${url}/-/metrics`)).text());
  return operations(paths).filter((operation) => !driven.has(operation));
}

function operations(paths: Document['paths']): string[] {
  return Object.entries(paths)
    .filter(([path]) => families.test(path) && !others.test(path))
    .flatMap(([path, methods]) => {
      const named = Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`);
      return headers.test(path) ? [...named, `HEAD ${path}`] : named;
    })
    .sort();
}

/** The routes with a good answer, written as the OpenAPI document writes them. */
function answeredRoutes(metrics: string): Set<string> {
  const found = new Set<string>();
  for (const [, method, route = ''] of metrics.matchAll(
    /^hearth_http_requests_total\{method="(\w+)",route="([^"]+)",status="[23]\d\d"\}/gm,
  )) {
    const path = route
      .replaceAll(/\([^)]*\)/g, '')
      .replaceAll(/:(\w+)/g, '{$1}')
      .replace(/\*$/, '{path}');
    found.add(`${method} ${path}`);
  }
  return found;
}
