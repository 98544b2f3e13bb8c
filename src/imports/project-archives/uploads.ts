import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { keepImportedFile } from '../../namespaces/projects/public.ts';
import { ifMissing } from '../../platform/missing.ts';
import { namedFiles } from './long-names.ts';

/** Destination of uploaded files from a folder with one subfolder per secret. */
export interface UploadsPlace {
  readonly services: Services;
  readonly owner: OwnerColumns;
  readonly userId: number;
  /** New secret of a file. */
  secretOf(secret: string): string;
  readonly signal: AbortSignal;
}

/** Stores the uploaded files that texts refer to. Calls `each` for every file, so that it is counted. */
export async function importUploadsFrom(
  { services, owner, userId, secretOf, signal }: UploadsPlace,
  root: string,
  each: (secret: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  for (const secret of (await readdir(root).catch(ifMissing)) ?? []) {
    for await (const { filename, path } of namedFiles(join(root, secret))) {
      signal.throwIfAborted();
      const { size } = await stat(path);
      const upload = { secret: secretOf(secret), filename, userId, size };
      await keepImportedFile(services, owner, upload, createReadStream(path));
      await each(secret);
    }
  }
}

/** Replaces the secrets in upload URLs of a text. */
export function renameUploads(text: string, secretOf: (secret: string) => string): string {
  return text.replaceAll(/\/uploads\/([0-9a-f]{32})\//g, (_, secret: string) => `/uploads/${secretOf(secret)}/`);
}
