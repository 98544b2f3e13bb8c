import { pipeline, Readable, type Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { isMultipart, readMultipart } from './bodies/multipart.ts';
import type { UploadedFile } from './bodies/upload.ts';
import { Call } from './call.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { HttpError } from './errors.ts';
import { KeysetPage, keysetHeaders, offsetHeaders, Page, type PageRequest, readPage } from './pages/pagination.ts';
import { checkParams } from './params.ts';
import type { PipelineOptions } from './pipeline-options.ts';
import { type HeaderList, headerList, setHeaders } from './responses/headers.ts';
import { JsonAnswer, sendJson } from './responses/json.ts';
import { Cacheable, type CacheSlot, WithHeaders } from './responses/results.ts';
import { serializerOf } from './responses/serializer.ts';
import { identifyByBody, limitedBody } from './server/early-caller.ts';

const noPaging: PageRequest = { page: 1, perPage: 20, offset: 0 };

function firstSuccess(endpoint: AnyEndpoint<unknown>): number {
  const status = Object.keys(endpoint.responses)
    .map(Number)
    .find((code) => code < 300);
  return status ?? 200;
}

/** Handles every API request: URL, parameters, caller, subject, handler, entity, JSON. */
export function handlerFor<Caller>(endpoint: AnyEndpoint<Caller>, world: PipelineOptions<Caller>) {
  const success = firstSuccess(endpoint);
  const rules = endpoint.rules ?? [];
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)]
    .map(([, name]) => name as string)
    .filter((name) => Object.hasOwn(endpoint.params, name));

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    let files: readonly UploadedFile[] = [];
    try {
      const sent = Object.assign(Object.create(null), request.query) as Record<string, unknown>;
      if (endpoint.method !== 'GET' && !endpoint.rawBody && isMultipart(request)) {
        const body = request.body as Readable;
        const limited = limitedBody(request);
        const source = limited ? compose(body, limited) : body;
        const [fields, uploaded] = await readMultipart(request, world, source);
        files = uploaded;
        Object.assign(sent, fields);
      } else if (!endpoint.rawBody && request.body) Object.assign(sent, request.body);
      Object.assign(sent, request.params);

      const caller = await identifyByBody(request, sent, endpoint, world);
      await world.throttle?.(caller, request, reply);
      await world.admit?.(caller, request);
      endpoint.gate.before?.(caller);
      const entered = endpoint.gate.early ? await endpoint.gate.enter(caller, sent, request) : undefined;
      const params = checkParams(endpoint.params, rules, sent);
      // An empty segment where a number belongs, as in `/issues//notes`, which the router does not refuse.
      if (inPath.some((name) => params[name] === undefined)) throw new HttpError(404, { error: '404 Not Found' });
      const page = endpoint.paginated ? readPage(sent) : noPaging;
      const subject = entered ?? (await endpoint.gate.enter(caller, params, request));
      reply.code(success);
      const call = new Call({ params, caller, subject, page, request, reply, sent });
      try {
        const result = await endpoint.handle(call);
        if (!(result instanceof Cacheable)) return answer(endpoint, world, call, result);
        if (result.slot.answer) return sendJson(request, reply, result.slot.answer);
        return answer(endpoint, world, call, await result.work(), result.slot);
      } catch (error) {
        throw (!(error instanceof HttpError) && (await endpoint.gate.gone?.(subject))) || error;
      }
    } finally {
      if (files.length > 0) await Promise.all(files.map((file) => file.remove()));
    }
  };
}

function compose(body: Readable, next: Transform): Readable {
  // Failures reach the reader through the last stream.
  return pipeline(body, next, () => undefined);
}

function answer<Caller>(
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
  call: Call<Caller, Record<string, unknown>, unknown>,
  result: unknown,
  slot?: CacheSlot,
): unknown {
  const { request, reply } = call;
  // A handler that sends the response itself returns nothing, even if the client disconnects in the middle.
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed || result === reply) return reply;
  const [headers, body] = parts(endpoint, world, call, result);
  const schema = endpoint.responses[reply.statusCode] as TSchema | null | undefined;
  if (schema === null || reply.statusCode === 204) return reply.removeHeader('content-type').send('');
  if (body instanceof Readable || Buffer.isBuffer(body)) return setHeaders(reply, headers).send(body);
  if (schema === undefined)
    throw new Error(`${endpoint.method} ${endpoint.path} responds with an undeclared ${reply.statusCode}`);
  const response = new JsonAnswer(serializerOf(schema)(body), headers);
  if (reply.statusCode === 200) slot?.keep(response);
  return sendJson(request, reply, response);
}

const none: HeaderList = [];

/** Splits a result into its headers and its body. */
function parts<Caller>(
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
  call: Call<Caller, Record<string, unknown>, unknown>,
  result: unknown,
): [HeaderList, unknown] {
  if (result instanceof WithHeaders) return [result.headers, result.entity];
  if (!(result instanceof Page || result instanceof KeysetPage)) return [none, result];
  return [headerList(pageHeaders(endpoint, world, call, result)), result.items];
}

function pageHeaders<Caller>(
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
  { request, params, page, sent }: Call<Caller, Record<string, unknown>, unknown>,
  result: Page<unknown> | KeysetPage<unknown>,
): Record<string, string> {
  const address = world.externalUrl + request.url.split('?', 1)[0];
  const effective = { ...params, ...known(sent, endpoint) };
  return result instanceof Page
    ? offsetHeaders(result, page, address, effective)
    : keysetHeaders(result, address, { ...effective, per_page: page.perPage });
}

/** Only declared parameters and those of pagination go into page links. */
function known(sent: Readonly<Record<string, unknown>>, endpoint: AnyEndpoint<never>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name in sent) {
    if (Object.hasOwn(endpoint.params, name) || name === 'pagination') result[name] = sent[name];
  }
  return result;
}
