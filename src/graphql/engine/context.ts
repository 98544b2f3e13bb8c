import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, type ProjectSubject, readableGroup, readableProject } from '../../access/subjects.ts';
import { Limiter } from '../../platform/concurrency.ts';
import { HttpError } from '../../platform/http/errors.ts';
import {
  type ApiAnswer,
  askInProcess,
  type Entity,
  type Headers,
  type Query,
  type Sent,
  type Writing,
  withQuery,
} from '../../platform/http/in-process.ts';
import { authorsOf } from './authors.ts';
import type { Batch } from './batch.ts';
import { failureOf, isHidden, notAvailable, sentencesOf } from './errors.ts';
import { MarkdownRenderer } from './markdown.ts';

/** API calls that one GraphQL request may cause. */
export const maxApiCalls = 300;
/** Concurrent ones: a query must not take every slot from callers of single endpoints. */
const atOnce = 6;

/** What a query costs, and what it may. */
export interface Score {
  readonly score: number;
  readonly limit: number;
}

/** What a mutation made, or why the API did not: sentences about what was sent. */
export interface Written {
  readonly entity: Entity;
  readonly errors: readonly string[];
}

export interface ResolverContextOptions {
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly caller: Actor;
  /** What the caller proved who they are by, for every call. */
  readonly credentials: Headers;
  readonly signal: AbortSignal;
}

/**
 * The context that every resolver receives: the REST API as this request may call it, with the caller's own credentials,
 * each path at most once and up to a budget of calls.
 */
export class ResolverContext {
  readonly services: Services;
  readonly caller: Actor;
  readonly texts: MarkdownRenderer;
  /** Users by the addresses that commits name. */
  readonly authors: Batch<string, number>;
  readonly #options: ResolverContextOptions;
  readonly #answers = new Map<string, Promise<ApiAnswer>>();
  readonly #subjects = new Map<number, Promise<ProjectSubject | undefined>>();
  readonly #groups = new Map<number, Promise<GroupSubject | undefined>>();
  readonly #turns = new Limiter({ running: atOnce, waiting: Number.POSITIVE_INFINITY });
  #reads = 0;

  constructor(options: ResolverContextOptions) {
    this.#options = options;
    this.services = options.services;
    this.caller = options.caller;
    this.texts = new MarkdownRenderer(options.services, options.caller);
    this.authors = authorsOf(options.services.db.read);
  }

  /** Something that may be missing or hidden; null then. */
  async read(path: string, query: Query = {}): Promise<Entity | null> {
    const answer = await this.answer(path, query);
    if (isHidden(answer)) return null;
    if (answer.status >= 300) throw failureOf(answer);
    return answer.body;
  }

  /** Whatever is answered at an address, which is asked once. */
  answer(path: string, query: Query = {}): Promise<ApiAnswer> {
    const url = withQuery(path, query);
    const known = this.#answers.get(url);
    if (known) return known;
    const asked = this.#ask('GET', url);
    this.#answers.set(url, asked);
    return asked;
  }

  /** Writes. What the caller may not write to is not available; what breaks a rule is told. */
  async send(method: Writing, path: string, sent: Sent = {}): Promise<Written> {
    const answer = await this.#ask(method, path, JSON.stringify(sent));
    // Whatever was read before may be another now.
    this.#answers.clear();
    this.#subjects.clear();
    this.#groups.clear();
    if (isHidden(answer)) throw notAvailable();
    if (answer.status < 300) return { entity: answer.body, errors: [] };
    if (answer.status < 500 && answer.status !== 429) return { entity: null, errors: sentencesOf(answer) };
    throw failureOf(answer);
  }

  /** A project as the caller finds it, for what they may do in it; undefined where they may not know of it. */
  project(id: number): Promise<ProjectSubject | undefined> {
    const known = this.#subjects.get(id);
    if (known) return known;
    const found = readableProject(this.services.db, this.caller, id).catch(unknownIfRefused);
    this.#subjects.set(id, found);
    return found;
  }

  /** The same of a group. */
  group(id: number): Promise<GroupSubject | undefined> {
    const known = this.#groups.get(id);
    if (known) return known;
    const found = readableGroup(this.services.db, this.caller, id).catch(unknownIfRefused);
    this.#groups.set(id, found);
    return found;
  }

  async #ask(method: 'GET' | Writing, url: string, payload?: string): Promise<ApiAnswer> {
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
    return this.#turns.run(() => askInProcess(app, request, call), signal);
  }
}

function unknownIfRefused(error: unknown): undefined {
  if (!(error instanceof HttpError)) throw error;
}
