import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCredentials } from '../../access/credentials/request-credentials.ts';
import type { Services } from '../../access/services.ts';
import { Busy } from '../../platform/concurrency.ts';
import { GitBusyError } from '../../platform/git/process/errors.ts';
import { type GitService, inflated, UnsupportedEncoding } from '../../platform/git/transport/transport.ts';
import type { Authenticate } from './authenticate.ts';
import { goImport } from './go-import.ts';
import { openNonProject } from './non-project-repositories.ts';
import { GitRefusal } from './refusal.ts';
import { openRepository } from './service.ts';
import type { GitSessions } from './sessions.ts';

/** Dependencies of the git routes. */
export interface GitRoutesOptions {
  readonly services: Services;
  readonly authenticate: Authenticate;
  readonly sessions: GitSessions;
}

type GitRequest = FastifyRequest<{ Params: { path: string } }>;

const noCache = {
  'cache-control': 'no-cache',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
};

const notAllowed = "The command you're trying to execute is not allowed.";

/**
 * Sends an error that git clients understand: a line of text, and for 401 the challenge that makes them ask for a
 * password.
 */
export function sendRefusal(reply: FastifyReply, refusal: GitRefusal): FastifyReply {
  if (refusal.status === 401) reply.header('www-authenticate', 'Basic realm="GitLab"');
  if (refusal.status === 503 || refusal.status === 429) reply.header('retry-after', '5');
  return reply.code(refusal.status).headers(noCache).type('text/plain; charset=utf-8').send(`${refusal.message}\n`);
}

/** Converts an error that occurred before anything was sent; undefined for internal errors. */
export function asRefusal(error: unknown): GitRefusal | undefined {
  if (error instanceof GitRefusal) return error;
  if (error instanceof GitBusyError)
    return new GitRefusal(503, 'The server is busy with this repository. Retry later.');
  if (error instanceof Busy) return new GitRefusal(503, 'Too many concurrent sign-ins. Retry later.');
  if (error instanceof UnsupportedEncoding) return new GitRefusal(422, error.message);
  return undefined;
}

/** The git smart HTTP protocol on the paths produced by `routeGitUrl`. Registered as a Fastify plugin. */
export function gitRoutes({ services, authenticate, sessions }: GitRoutesOptions) {
  async function access(request: GitRequest, service: GitService) {
    const actor = await authenticate(readCredentials(request.headers), request.ip);
    if (actor.lfs) throw GitRefusal.denied();
    const { gitRate } = services.config;
    const state = gitRate && (await services.limits.count('git', actor.user?.id ?? request.ip, gitRate));
    if (state?.exceeded) throw new GitRefusal(429, 'Retry later');
    const operation = service === 'git-receive-pack' ? 'push' : 'pull';
    const { path } = request.params;
    const accessRequest = { actor, path, operation, protocol: 'http', creates: operation === 'push' } as const;
    return (await openNonProject(services, accessRequest)) ?? openRepository(services, accessRequest);
  }

  async function advertise(request: GitRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { service } = request.query as { service?: unknown };
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack') throw GitRefusal.forbidden(notAllowed);
    const granted = await access(request, service);
    const disconnected = disconnectSignal(reply);
    const output = new PassThrough();
    const done = sessions.advertise(granted, service, { protocol: protocolOf(request), signal: disconnected, output });
    // As soon as git has produced output, the response has started; an earlier failure still sets the status.
    await Promise.race([done, new Promise((resolve) => output.once('readable', resolve))]);
    done.catch((error: Error) => output.destroy(error));
    return reply.headers(noCache).type(`application/x-${service}-advertisement`).send(output);
  }

  async function serve(request: GitRequest, reply: FastifyReply, service: GitService): Promise<void> {
    const granted = await access(request, service);
    const input = inflated(request.raw, request.headers['content-encoding']);
    const signal = disconnectSignal(reply);
    const { raw } = reply;
    for (const [name, value] of Object.entries(noCache)) raw.setHeader(name, value);
    raw.setHeader('content-type', `application/x-${service}-result`);
    const session = { input, output: raw, stateless: true, protocol: protocolOf(request), signal };
    const result = service === 'git-receive-pack' ? sessions.push(granted, session) : sessions.fetch(granted, session);
    await finish(reply, result, () => input.errored !== null || request.raw.errored !== null || request.raw.destroyed);
  }

  async function finish(
    reply: FastifyReply,
    result: ReturnType<GitSessions['fetch']>,
    inputFailed: () => boolean,
  ): Promise<void> {
    const { raw } = reply;
    try {
      const { ok, sent, error } = await result;
      if (!ok && sent === 0) {
        raw.statusCode = 422;
        raw.setHeader('content-type', 'text/plain; charset=utf-8');
        raw.end(`${error ?? 'git could not process the request'}\n`);
      } else raw.end();
    } catch (error) {
      if (raw.headersSent || raw.destroyed) {
        raw.destroy();
        if (!isAbortError(error) && !inputFailed())
          services.log.error({ err: error }, 'a git session ended unexpectedly');
        return;
      }
      const expected =
        asRefusal(error) ?? (inputFailed() ? new GitRefusal(422, 'The request body could not be read.') : undefined);
      const refusal = expected ?? new GitRefusal(503, 'The repository is not available. Retry later.');
      if (!expected) services.log.error({ err: error }, 'git failed');
      raw.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '5' });
      raw.end(`${refusal.message}\n`);
    }
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    app.setErrorHandler((error, _request, reply) => {
      const refusal = asRefusal(error);
      if (refusal) return sendRefusal(reply, refusal);
      throw error;
    });
    app.get('/-/git/:path/info/refs', { exposeHeadRoute: false }, (request, reply) =>
      advertise(request as GitRequest, reply),
    );
    app.head('/-/git/:path/info/refs', () => {
      throw GitRefusal.forbidden(notAllowed);
    });
    app.get('/-/git/:path/without-suffix', (request, reply) => {
      // Use the decoded path: the raw URL may begin with two slashes, which would redirect to another host.
      const { path } = (request as GitRequest).params;
      const [, query = ''] = request.originalUrl.split('?', 2);
      return reply.redirect(`/${path}.git/info/refs?${query}`, 301);
    });
    app.get('/-/git/:path/go-import', async (request, reply) => {
      const actor = await authenticate(readCredentials(request.headers), request.ip);
      const page = await goImport(services, actor, (request as GitRequest).params.path);
      return reply.headers(noCache).type('text/html; charset=utf-8').send(page);
    });
    app.post('/-/git/:path/git-upload-pack', async (request, reply) => {
      await serve(request as GitRequest, reply, 'git-upload-pack');
      return reply.hijack();
    });
    app.post('/-/git/:path/git-receive-pack', async (request, reply) => {
      await serve(request as GitRequest, reply, 'git-receive-pack');
      return reply.hijack();
    });
  };
}

function protocolOf(request: FastifyRequest): string | undefined {
  const value = request.headers['git-protocol'];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a signal that is aborted when the client disconnects before the response is complete. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || (error as { aborted?: boolean }).aborted === true);
}
