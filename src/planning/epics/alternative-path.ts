const other = /^\/api\/v4\/groups\/[^/?]+\/-\/epics(?=[/?]|$)/;

/** Epics have two paths in the API, with and without `-/`; only the latter has routes, so the former is rewritten. */
export function routeEpicUrl(url: string): string {
  return url.startsWith('/api/v4/groups/') ? url.replace(other, (path) => path.replace('/-/epics', '/epics')) : url;
}
