import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { keepImportedFile } from '../../namespaces/projects/public.ts';
import { ifMissing } from '../../platform/missing.ts';

/** Where the files belong that lie in a folder, each below its secret. */
export interface UploadsPlace {
  readonly services: Services;
  readonly owner: OwnerColumns;
  readonly userId: number;
  /** The secret that a file has here. */
  secretOf(secret: string): string;
  readonly signal: AbortSignal;
}

/** Keeps the files that texts show. `each` hears of every one, so that it is counted. */
export async function keepUploads(
  { services, owner, userId, secretOf, signal }: UploadsPlace,
  root: string,
  each: (secret: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  for (const secret of (await readdir(root).catch(ifMissing)) ?? []) {
    for (const filename of await readdir(join(root, secret))) {
      signal.throwIfAborted();
      const path = join(root, secret, filename);
      const { size } = await stat(path);
      const upload = { secret: secretOf(secret), filename, userId, size };
      await keepImportedFile(services, owner, upload, createReadStream(path));
      await each(secret);
    }
  }
}

/** A text that names the files by the secrets that they have here. */
export function renameUploads(text: string, secretOf: (secret: string) => string): string {
  return text.replaceAll(/\/uploads\/([0-9a-f]{32})\//g, (_, secret: string) => `/uploads/${secretOf(secret)}/`);
}
