import type { Page } from './visit.ts';

const segment = '[A-Za-z0-9_.][A-Za-z0-9_.-]*';
const kinds: Readonly<Record<string, string>> = {
  // Paths with this prefix are pages of groups.
  project: `(?!groups/)${segment}(?:/${segment})+`,
  path: `${segment}(?:/${segment})*`,
  id: '\\d{1,20}',
  iid: '\\d{1,15}',
};

/** Compiles the URL pattern of a page to a regular expression. */
export function compileAddress(pattern: string): RegExp {
  const source = pattern
    .replace(/[.?+^$()[\]{}|]/g, '\\$&')
    .replace(/(:|\*)([a-z_]+)/g, (_, sign: string, name: string) =>
      sign === '*' ? `(?<${name}>.+)` : `(?<${name}>${kinds[name] ?? '[^/]+'})`,
    );
  return new RegExp(`^${source}$`, 's');
}

/** The page that matches a URL. */
export interface Found {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
}

export type Find = (method: string, path: string) => Found | undefined;

/** Returns a function that finds the first page whose pattern matches. */
export function createFinder(pages: readonly Page[]): Find {
  const compiled = pages.map((page) => ({ page, method: page.method ?? 'GET', pattern: compileAddress(page.path) }));
  return (method, path) => {
    for (const one of compiled) {
      if (one.method !== method) continue;
      const match = one.pattern.exec(path);
      if (match) return { page: one.page, params: decoded(match.groups ?? {}) };
    }
    return undefined;
  };
}

function decoded(groups: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decode(text ?? '')]));
}

/** Decodes a URL segment; returns it unchanged if it is malformed. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Encodes a path, such as a file path or branch name, for a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/**
 * URLs whose forms contain a file of any size, which is streamed to the API. Needed for routing before pages are
 * imported.
 */
export const streamedAddresses = ['/import/gitlab_group', '/import/gitlab_project'];

/** Route prefix of the web interface. */
export const mount = '/-/web';

const own = /^\/-\/((user_settings|users\/terms|profile|snippets|assets)(\/|$)|(appearance\.css|manifest\.json)$)/;

/** Maps the URL of a page to its route; returns other URLs unchanged. */
export function routeWebUrl(url: string): string {
  if (/^\/(api|uploads|errortracking|jwt|\.well-known)(\/|$)/.test(url) || !url.startsWith('/')) return url;
  const [path = ''] = url.split('?', 1);
  // The OAuth authorization endpoints are pages.
  if (path.startsWith('/oauth/') && !/^\/oauth\/(authorize|device)$/.test(path)) return url;
  if (path.startsWith('/-/') && !own.test(path)) return url;
  return `${mount}${url}`;
}
