import { Readable } from 'node:stream';
import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { NotFound, ParameterError } from '../../platform/http/errors.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { type ProjectCall, pageGate, type RefType, splitRefAndPath } from '../repository/public.ts';
import { isFilePath } from './file-path.ts';
import { bytesOf, largeFile, type OpenedFile, rawContentType, shownName } from './raw.ts';
import { findFile } from './service.ts';

const types: readonly RefType[] = ['heads', 'tags'];

/** Opens the file at `<ref>/<path>`, or the LFS object it points to. */
async function openAt(
  services: Services,
  call: ProjectCall,
  address: string,
  type: RefType | undefined,
  head: boolean,
): Promise<OpenedFile> {
  const { ref, path } = await splitRefAndPath(services, call.subject, address, type ? { type } : {});
  if (path === '') throw new NotFound('File');
  if (!isFilePath(path)) throw new ParameterError('file_path should be a valid file path');
  const file = await findFile(services, call, path, ref);
  const lfsFile = await largeFile(services, call, file, head);
  if (lfsFile) return lfsFile;
  const content = head || file.blob === null ? Readable.from([]) : await bytesOf(file, file.blob, call);
  const filename = shownName(path.slice(path.lastIndexOf('/') + 1));
  return { content, size: file.size, filename, ...(await rawContentType(file, call)) };
}

/** Limits requests per file across all users: everybody who opens a popular page requests its files. */
async function countRequest({ settings, limits }: Services, { subject }: ProjectCall, address: string): Promise<void> {
  const { raw_blob_request_limit: count } = await settings.read();
  if (count === 0) return;
  const text = 'You cannot access the raw file. Please wait a minute.';
  await limits.spend('raw_blob', `${subject.project.id} ${digest(address)}`, { count, period: 60_000 }, text);
}

/** `/<project>/-/raw/<ref>/<path>`, used by includes and scripts. */
export function rawPage(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/page/raw/:id/*',
    tag: 'repository files',
    summary: 'Download a raw file by its web URL',
    gate: pageGate(services, 'read_code'),
    scopes: ['read_repository'],
    jobToken: true,
    params: {
      id: required(param.string()),
      '*': required(param.string()),
      ref_type: param.oneOf(types),
      inline: withDefault(param.boolean(), true),
    },
    responses: { 200: Type.String() },
    handle: async (call) => {
      const { params, request, reply } = call;
      await countRequest(services, call, params['*']);
      const file = await openAt(services, call, params['*'], params.ref_type, request.method === 'HEAD');
      const attachment = file.attachment === true || !params.inline;
      return sendRaw(reply, file.content, { ...file, attachment });
    },
  });
}
