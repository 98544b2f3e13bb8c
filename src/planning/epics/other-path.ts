const other = /^\/api\/v4\/groups\/[^/?]+\/-\/epics(?=[/?]|$)/;

/** Epics have two addresses in the API, with `-/` before them and without: the routes know the one without. */
export function routeEpicUrl(url: string): string {
  return url.startsWith('/api/v4/groups/') ? url.replace(other, (path) => path.replace('/-/epics', '/epics')) : url;
}
