import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { formatLfsPointer, type LfsPointer, parseLfsPointer } from '../../../platform/git/objects/lfs-pointer.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { TreeAttributes } from '../../../platform/git/trees/attributes.ts';
import { entryType } from '../../../platform/git/trees/tree.ts';
import { storeLfsObject } from '../../lfs/public.ts';
import type { ContentBytes } from './content.ts';

const attributesLimit = 1024 * 1024;

/** Decides by `.gitattributes` which files are stored in LFS. */
export class LargeFiles {
  readonly #services: Services;
  readonly #subject: ProjectSubject;
  readonly #attributes: TreeAttributes | undefined;

  constructor(services: Services, subject: ProjectSubject, objects: Objects, tree: string | null) {
    this.#services = services;
    this.#subject = subject;
    const enabled = settingsOf(subject.project).lfs_enabled !== false;
    this.#attributes =
      enabled && tree !== null ? new TreeAttributes((path) => readFile(objects, tree, path)) : undefined;
  }

  /** Returns what to commit at a path: the content itself, or an LFS pointer after storing the content. */
  async replace(path: string, bytes: ContentBytes): Promise<ContentBytes> {
    if ((await this.#attributes?.of(path))?.get('filter') !== 'lfs') return bytes;
    // Like git-lfs, keep content that already is a pointer.
    if (Buffer.isBuffer(bytes) && (bytes.length === 0 || parseLfsPointer(bytes))) return bytes;
    const open = () => (Buffer.isBuffer(bytes) ? Readable.from([bytes]) : bytes.open());
    const pointer = await measure(open());
    await storeLfsObject(this.#services, this.#subject.project.id, pointer, open());
    return Buffer.from(formatLfsPointer(pointer));
  }
}

async function measure(stream: Readable): Promise<LfsPointer> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { oid: hash.digest('hex'), size };
}

async function readFile(objects: Objects, tree: string, path: string): Promise<Buffer | undefined> {
  const entry = await objects.entryAt(tree, path);
  if (!entry || entryType(entry) !== 'blob' || entry.mode === '120000') return undefined;
  const info = await objects.info(entry.oid);
  if (info.status !== 'found' || info.size > attributesLimit) return undefined;
  return (await objects.blob(entry.oid)) ?? undefined;
}
