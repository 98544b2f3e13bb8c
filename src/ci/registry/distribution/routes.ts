import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { maintenanceRefusal } from '../../../access/limits/maintenance.ts';
import type { Services } from '../../../access/services.ts';
import type { Authenticate } from '../../../code/transport/public.ts';
import { mountBlob, sendBlob } from './blobs.ts';
import { listReferrers, listTags } from './listings.ts';
import { maxManifestBytes } from './manifest-content.ts';
import { deleteManifest, findManifest, putManifest, readReference, sendManifest } from './manifests.ts';
import { useRegistryProtocol } from './protocol.ts';
import { RegistryRefusal } from './refusal.ts';
import type { Access, Action } from './rights.ts';
import { bearerOf, openMountSource, openRepository, tokenHandler } from './sign-in.ts';
import * as uploads from './uploads.ts';

type RegistryRequest = FastifyRequest<{
  Params: { name: string; digest: string; id: string; reference: string };
  Querystring: Record<string, unknown>;
}>;
type Handle = (request: RegistryRequest, reply: FastifyReply) => Promise<unknown>;

/** Request body. An error while reading it must not destroy the connection before the client has read the response. */
const bodyOf = ({ body }: FastifyRequest): AsyncIterable<Buffer> =>
  ((body as Readable | undefined) ?? Readable.from([])).iterator({ destroyOnReturn: false });

const pieceOf = (request: FastifyRequest) => ({
  body: bodyOf(request),
  range: request.headers['content-range'],
  length: request.headers['content-length'],
});

/** The container registry protocol: tokens, blobs, manifests and tags. Registered as a separate plugin. */
export function registryRoutes({
  services,
  authenticate,
}: {
  readonly services: Services;
  readonly authenticate: Authenticate;
}) {
  async function open(request: RegistryRequest, action: Action): Promise<Access> {
    const { name } = request.params;
    const access = await openRepository(services, request, name, action);
    const refusal = action === 'pull' ? undefined : await maintenanceRefusal(services);
    if (refusal !== undefined) throw new RegistryRefusal('DENIED', { message: refusal });
    return access;
  }

  const blobs = blobHandlers(services, open);
  const manifests = manifestHandlers(services, open);

  return async (app: FastifyInstance): Promise<void> => {
    useRegistryProtocol(app, services);
    const on = (method: HTTPMethods | HTTPMethods[], url: string, handle: Handle) =>
      app.route({ method, url, exposeHeadRoute: false, handler: (request, reply) => handle(request as never, reply) });

    on('GET', '/jwt/auth', tokenHandler(services, authenticate));
    on(['GET', 'HEAD'], '/-/v2', async (request, reply) => {
      await bearerOf(services, request);
      return reply.type('application/json').send('{}');
    });
    on('POST', '/-/v2/:name/blobs/uploads', blobs.start);
    on(['GET', 'HEAD'], '/-/v2/:name/blobs/uploads/:id', blobs.status);
    on('PATCH', '/-/v2/:name/blobs/uploads/:id', blobs.append);
    on('PUT', '/-/v2/:name/blobs/uploads/:id', blobs.finish);
    on('DELETE', '/-/v2/:name/blobs/uploads/:id', blobs.cancel);
    on(['GET', 'HEAD'], '/-/v2/:name/blobs/:digest', blobs.fetch);
    on(['GET', 'HEAD'], '/-/v2/:name/manifests/:reference', manifests.fetch);
    on('PUT', '/-/v2/:name/manifests/:reference', manifests.put);
    on('DELETE', '/-/v2/:name/manifests/:reference', manifests.remove);
    on('GET', '/-/v2/:name/tags/list', async (request, reply) =>
      listTags(services, await open(request, 'pull'), request, reply),
    );
    on('GET', '/-/v2/:name/referrers/:digest', async (request, reply) =>
      listReferrers(services, await open(request, 'pull'), request, reply),
    );
    // Unsupported operations. Blobs are not deleted individually, and there is no catalog of all repositories.
    on(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], '/-/v2/*', async (request) => {
      await bearerOf(services, request);
      throw new RegistryRefusal('UNSUPPORTED', /^\/-\/v2\/[^/]+\/[a-z]/.test(request.url) ? {} : { status: 404 });
    });
  };
}

type Open = (request: RegistryRequest, action: Action) => Promise<Access>;

function blobHandlers(services: Services, open: Open) {
  const created = (reply: FastifyReply, name: string, digest: string) =>
    reply
      .code(201)
      .headers({ location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest, 'content-length': '0' })
      .send();
  const upload = async (request: RegistryRequest) => {
    const { name, id } = request.params;
    return uploads.requireUpload(services, await open(request, 'push'), name, id);
  };
  return {
    async start(request: RegistryRequest, reply: FastifyReply) {
      const access = await open(request, 'push');
      const { name } = request.params;
      const { mount, from, digest } = request.query;
      if (typeof mount === 'string') {
        const requested = uploads.checkDigest(mount);
        const source = typeof from === 'string' ? await openMountSource(services, request, from) : access;
        if (source && (await mountBlob(services, source, access, requested))) return created(reply, name, requested);
      } else if (digest !== undefined) {
        const whole = uploads.checkDigest(digest);
        await uploads.storeWhole(services, access, whole, bodyOf(request));
        return created(reply, name, whole);
      }
      const started = await uploads.startUpload(services, access, name);
      return reply.code(202).headers(uploads.uploadHeaders(started, name)).header('content-length', '0').send();
    },
    async status(request: RegistryRequest, reply: FastifyReply) {
      return reply
        .code(204)
        .headers(uploads.uploadHeaders(await upload(request), request.params.name))
        .send();
    },
    async append(request: RegistryRequest, reply: FastifyReply) {
      const longer = await uploads.appendChunk(services, await upload(request), pieceOf(request));
      const headers = uploads.uploadHeaders(longer, request.params.name);
      return reply.code(202).headers(headers).header('content-length', '0').send();
    },
    async finish(request: RegistryRequest, reply: FastifyReply) {
      const found = await upload(request);
      const digest = uploads.checkDigest(request.query.digest);
      await uploads.finishUpload(services, found, digest, pieceOf(request));
      return created(reply, request.params.name, digest);
    },
    async cancel(request: RegistryRequest, reply: FastifyReply) {
      await uploads.cancelUpload(services, await upload(request));
      return reply.code(204).send();
    },
    async fetch(request: RegistryRequest, reply: FastifyReply) {
      const access = await open(request, 'pull');
      return sendBlob(services, access, uploads.checkDigest(request.params.digest), request, reply);
    },
  };
}

/** Reads a small request body into memory. */
async function wholeBody(request: FastifyRequest): Promise<Buffer> {
  const tooLarge = new RegistryRefusal('SIZE_INVALID', { message: 'the manifest exceeds 4 MiB' });
  if (Number(request.headers['content-length'] ?? 0) > maxManifestBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyOf(request)) {
    size += chunk.length;
    if (size > maxManifestBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function manifestHandlers(services: Services, open: Open) {
  return {
    async fetch(request: RegistryRequest, reply: FastifyReply) {
      const access = await open(request, 'pull');
      const reference = readReference(request.params.reference);
      const found = await findManifest(services, access, reference, request.headers.accept);
      return sendManifest(found, request, reply);
    },
    async put(request: RegistryRequest, reply: FastifyReply) {
      const access = await open(request, 'push');
      const { name, reference } = request.params;
      const requested = readReference(reference);
      const sent = { body: await wholeBody(request), contentType: request.headers['content-type'] };
      const { digest, subjectDigest } = await putManifest(services, access, requested, sent);
      return reply
        .code(201)
        .headers({
          location: `/v2/${name}/manifests/${digest}`,
          'docker-content-digest': digest,
          'content-length': '0',
          ...(subjectDigest === null ? {} : { 'oci-subject': subjectDigest }),
        })
        .send();
    },
    async remove(request: RegistryRequest, reply: FastifyReply) {
      const access = await open(request, 'delete');
      await deleteManifest(services, access, readReference(request.params.reference));
      return reply.code(202).header('content-length', '0').send();
    },
  };
}
