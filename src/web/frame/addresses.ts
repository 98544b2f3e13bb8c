import type { Page } from './visit.ts';

const segment = '[A-Za-z0-9_.][A-Za-z0-9_.-]*';
const kinds: Readonly<Record<string, string>> = {
  // What begins so is the page of a group.
  project: `(?!groups/)${segment}(?:/${segment})+`,
  path: `${segment}(?:/${segment})*`,
  id: '\\d{1,20}',
  iid: '\\d{1,15}',
};

/** The pattern of a page's address as an expression. */
export function compileAddress(pattern: string): RegExp {
  const source = pattern
    .replace(/[.?+^$()[\]{}|]/g, '\\$&')
    .replace(/(:|\*)([a-z_]+)/g, (_, sign: string, name: string) =>
      sign === '*' ? `(?<${name}>.+)` : `(?<${name}>${kinds[name] ?? '[^/]+'})`,
    );
  return new RegExp(`^${source}$`, 's');
}

/** A page found by its address. */
export interface Found {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
}

export type Find = (method: string, path: string) => Found | undefined;

/** Finds pages by address, in the order in which they are listed. */
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

/** A part of an address as text; what cannot be decoded stays as it was written. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path, such as that of a file or the name of a branch, as it stands in an address. */
export function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Addresses whose form has a file of any size, which is streamed on to the API. Routes need them before pages are imported. */
export const streamedAddresses = ['/import/gitlab_group', '/import/gitlab_project'];

/** Where the web's addresses are mounted. */
export const mount = '/-/web';

const own = /^\/-\/((user_settings|users\/terms|profile|snippets|assets)(\/|$)|(appearance\.css|manifest\.json)$)/;

/** The path under which the server's routes know the address of a page, or the same for any other. */
export function routeWebUrl(url: string): string {
  if (/^\/(api|uploads|errortracking|jwt|\.well-known)(\/|$)/.test(url) || !url.startsWith('/')) return url;
  const [path = ''] = url.split('?', 1);
  // Of OAuth, what people see in their browser is a page.
  if (path.startsWith('/oauth/') && !/^\/oauth\/(authorize|device)$/.test(path)) return url;
  if (path.startsWith('/-/') && !own.test(path)) return url;
  return `${mount}${url}`;
}
