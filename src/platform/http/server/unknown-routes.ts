import type { FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import type { AnyEndpoint } from '../endpoint.ts';
import { HttpError } from '../errors.ts';
import { preflightHeaders } from '../responses/headers.ts';

type Finder = ReturnType<typeof findMyWay>;

/** Handles requests that match no route: 405 if another method would match, a preflight response, or 404. */
export class UnknownRoutes {
  readonly #endpoints: readonly AnyEndpoint<never>[];
  readonly #prefix: string;
  #finder: Finder | undefined;

  constructor(endpoints: readonly AnyEndpoint<never>[], prefix: string) {
    this.#endpoints = endpoints;
    this.#prefix = prefix;
  }

  // Built on first use: most servers are only asked for routes that exist.
  #routes(): Finder {
    if (this.#finder) return this.#finder;
    const finder = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 8192 });
    for (const { method, path } of this.#endpoints) finder.on(method, this.#prefix + path, () => {});
    this.#finder = finder;
    return finder;
  }

  /** The methods that this path accepts. */
  allowed(path: string): string[] {
    const finder = this.#routes();
    const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
    const found: string[] = verbs.filter((verb) => finder.find(verb, path) !== null);
    return found.includes('GET') ? ['OPTIONS', 'HEAD', ...found] : found.length > 0 ? ['OPTIONS', ...found] : found;
  }

  answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = this.allowed(path);
    if (allowed.length === 0) throw new HttpError(404, { error: '404 Not Found' });
    const verbs = allowed.join(', ');
    if (request.method !== 'OPTIONS') throw new HttpError(405, { error: '405 Not Allowed' }, { allow: verbs });
    return reply.code(204).header('allow', verbs).headers(preflightHeaders(request, verbs)).send();
  }
}

/** The URL without a trailing `.json`, if it has one: any route that is not found is retried without it. */
export function withoutFormat(url: string): string | undefined {
  const [path = '', query] = url.split(/\?(.*)/s, 2);
  if (!path.endsWith('.json')) return undefined;
  return path.slice(0, -5) + (query === undefined ? '' : `?${query}`);
}

/**
 * Routes that end in a word where others have a number, such as `/runners/all` next to `/runners/:id`: with a suffix,
 * the word would be taken for the number.
 */
export function literalRoutesBesideIds(endpoints: readonly AnyEndpoint<never>[], prefix: string): RegExp {
  const shapes = endpoints.map(({ path, params }) => {
    const last = path.lastIndexOf('/');
    const [, name] = /^\/:(\w+)/.exec(path.slice(last)) ?? [];
    const isNumber = name !== undefined && params[name]?.schema.type === 'integer';
    return {
      parent: path.slice(0, last).replace(/:\w+(?:\([^)]*\))?/g, '[^/]+'),
      end: path.slice(last),
      name,
      isNumber,
    };
  });
  const numbered = new Set(shapes.filter(({ isNumber }) => isNumber).map(({ parent }) => parent));
  const words = shapes.filter(({ parent, name }) => name === undefined && numbered.has(parent));
  return new RegExp(`^${prefix}(?:${words.map(({ parent, end }) => parent + end).join('|')})$`);
}
