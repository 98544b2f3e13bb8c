import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import { isMultipart, readMultipart } from '../../platform/http/bodies/multipart.ts';
import { ParameterError, TooLarge } from '../../platform/http/errors.ts';

const mebibyte = 1024 * 1024;
const defaultMaxBytes = 5 * 1024 * mebibyte;

/** Reads a form with a file up to the import size limit. The file is on disk until `use` has finished. */
export async function withUploadedArchive<T>(
  services: Services,
  request: FastifyRequest,
  use: (fields: Readonly<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  if (!isMultipart(request)) throw new ParameterError('file is invalid');
  const { max_import_size: most } = await services.settings.read();
  const fileLimit = most === 0 ? defaultMaxBytes : most * mebibyte;
  if (Number(request.headers['content-length'] ?? 0) > fileLimit + mebibyte) throw new TooLarge();
  const spool = join(services.config.data, 'tmp', 'uploads');
  await mkdir(spool, { recursive: true });
  const [fields, files] = await readMultipart(request, { spool, fileLimit });
  try {
    return await use(fields);
  } finally {
    await Promise.all(files.map((file) => file.remove()));
  }
}
