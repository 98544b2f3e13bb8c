import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, type ProjectSubject, readableGroup, readableProject } from '../../access/subjects.ts';
import { Limiter } from '../../platform/concurrency.ts';
import { HttpError } from '../../platform/http/errors.ts';
import {
  type ApiAnswer,
  callInProcess,
  type Entity,
  type Headers,
  type JsonBody,
  type Query,
  type WriteMethod,
  withQuery,
} from '../../platform/http/in-process.ts';
import { userIdsByEmail } from './authors.ts';
import type { Batch } from './batch.ts';
import { failureOf, isHidden, notAvailable, sentencesOf } from './errors.ts';
import { MarkdownRenderer } from './markdown.ts';

/** Maximum number of API calls per GraphQL request. */
export const maxApiCalls = 300;
/** Maximum number of concurrent calls: a query must not take all slots from callers of single endpoints. */
const concurrency = 6;

/** The complexity of a query, and its limit. */
export interface Score {
  readonly score: number;
  readonly limit: number;
}

/** The result of a mutation, or the reasons why the API rejected it, as sentences. */
export interface MutationResult {
  readonly entity: Entity;
  readonly errors: readonly string[];
}

export interface ResolverContextOptions {
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly caller: Actor;
  /** The caller's credentials, passed on with every call. */
  readonly credentials: Headers;
  readonly signal: AbortSignal;
}

/**
 * The context of all resolvers: calls the REST API with the caller's own credentials, each path at most once and within
 * a budget of calls.
 */
export class ResolverContext {
  readonly services: Services;
  readonly caller: Actor;
  readonly texts: MarkdownRenderer;
  /** Users by the email addresses of commits. */
  readonly authors: Batch<string, number>;
  readonly #options: ResolverContextOptions;
  readonly #answers = new Map<string, Promise<ApiAnswer>>();
  readonly #subjects = new Map<number, Promise<ProjectSubject | undefined>>();
  readonly #groups = new Map<number, Promise<GroupSubject | undefined>>();
  readonly #turns = new Limiter({ running: concurrency, waiting: Number.POSITIVE_INFINITY });
  #reads = 0;

  constructor(options: ResolverContextOptions) {
    this.#options = options;
    this.services = options.services;
    this.caller = options.caller;
    this.texts = new MarkdownRenderer(options.services, options.caller);
    this.authors = userIdsByEmail(options.services.db.read);
  }

  /** Reads an entity; null if it does not exist or the caller cannot see it. */
  async read(path: string, query: Query = {}): Promise<Entity | null> {
    const answer = await this.answer(path, query);
    if (isHidden(answer)) return null;
    if (answer.status >= 300) throw failureOf(answer);
    return answer.body;
  }

  /** The response to a GET request, which is sent once per path. */
  answer(path: string, query: Query = {}): Promise<ApiAnswer> {
    const url = withQuery(path, query);
    const known = this.#answers.get(url);
    if (known) return known;
    const pending = this.#call('GET', url);
    this.#answers.set(url, pending);
    return pending;
  }

  /** Sends a write. Throws if the object is not available to the caller; validation messages are returned. */
  async send(method: WriteMethod, path: string, sent: JsonBody = {}): Promise<MutationResult> {
    const answer = await this.#call(method, path, JSON.stringify(sent));
    // Whatever was read before may have changed.
    this.#answers.clear();
    this.#subjects.clear();
    this.#groups.clear();
    if (isHidden(answer)) throw notAvailable();
    if (answer.status < 300) return { entity: answer.body, errors: [] };
    if (answer.status < 500 && answer.status !== 429) return { entity: null, errors: sentencesOf(answer) };
    throw failureOf(answer);
  }

  /** A project and what the caller may do in it; undefined if the caller cannot see it. */
  project(id: number): Promise<ProjectSubject | undefined> {
    const known = this.#subjects.get(id);
    if (known) return known;
    const found = readableProject(this.services.db, this.caller, id).catch(undefinedIfRefused);
    this.#subjects.set(id, found);
    return found;
  }

  /** A group and what the caller may do in it; undefined if the caller cannot see it. */
  group(id: number): Promise<GroupSubject | undefined> {
    const known = this.#groups.get(id);
    if (known) return known;
    const found = readableGroup(this.services.db, this.caller, id).catch(undefinedIfRefused);
    this.#groups.set(id, found);
    return found;
  }

  async #call(method: 'GET' | WriteMethod, url: string, payload?: string): Promise<ApiAnswer> {
    const { app, request, credentials, signal } = this.#options;
    this.#reads += 1;
    if (this.#reads > maxApiCalls) throw new GraphQLError(`Query needs more than ${maxApiCalls} reads`);
    const agent = request.headers['user-agent'];
    const headers = {
      ...credentials,
      ...(agent !== undefined && { 'user-agent': agent }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    };
    const call = { method, url, headers, ...(payload !== undefined && { payload }) };
    return this.#turns.run(() => callInProcess(app, request, call), signal);
  }
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof HttpError)) throw error;
}
