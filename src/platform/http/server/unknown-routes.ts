import type { FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { preflightHeaders } from '../answers/headers.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { HttpError } from '../errors.ts';

type Finder = ReturnType<typeof findMyWay>;

/** Says what to do with a request that no route took: 405 where another verb would do, a preflight's answer, or 404. */
export class UnknownRoutes {
  readonly #endpoints: readonly AnyEndpoint<never>[];
  readonly #prefix: string;
  #finder: Finder | undefined;

  constructor(endpoints: readonly AnyEndpoint<never>[], prefix: string) {
    this.#endpoints = endpoints;
    this.#prefix = prefix;
  }

  // Built when first needed: a server that is asked only for what it has never pays for it.
  #routes(): Finder {
    if (this.#finder) return this.#finder;
    const finder = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 8192 });
    for (const { method, path } of this.#endpoints) finder.on(method, this.#prefix + path, () => {});
    this.#finder = finder;
    return finder;
  }

  /** The verbs that would be taken at this path. */
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

/** The path without a trailing `.json`, or undefined: the suffix is taken on every route that is not found with it. */
export function withoutFormat(url: string): string | undefined {
  const [path = '', query] = url.split(/\?(.*)/s, 2);
  if (!path.endsWith('.json')) return undefined;
  return path.slice(0, -5) + (query === undefined ? '' : `?${query}`);
}

/**
 * The routes that end in a word where others have a number, as `/runners/all` beside `/runners/:id`: with a suffix the word
 * would be taken for the number.
 */
export function wordsBesideNumbers(endpoints: readonly AnyEndpoint<never>[], prefix: string): RegExp {
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
