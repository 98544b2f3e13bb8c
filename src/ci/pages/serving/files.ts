import type { Storage } from '../../../platform/storage/storage.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import { type ArchiveEntry, type Finder, openFinder } from '../../artifacts/public.ts';
import type { DeploymentRow } from '../tables.ts';

/** The files of a site, read where they lie in its archive. */
export class SiteFiles {
  readonly #finder: Finder;
  readonly #root: string;

  private constructor(finder: Finder, root: string) {
    this.#finder = finder;
    this.#root = root === '' ? '' : `${root}/`;
  }

  static async open(storage: Storage, { storage_key, size, root_directory }: DeploymentRow): Promise<SiteFiles> {
    return new SiteFiles(await openFinder(storage, storage_key, size), root_directory);
  }

  /** A file by its path in the site; links, and what is encrypted, are none. */
  async find(path: string): Promise<ArchiveEntry | undefined> {
    const entry = await this.#finder.find(this.#root + path);
    return entry?.plain ? entry : undefined;
  }

  close(): void {
    this.#finder.close();
  }
}

/** What a path of a site leads to. */
export type Target = { readonly path: string; readonly entry: ArchiveEntry } | 'slash' | undefined;

/**
 * The file that a path stands for: itself, the index of the folder, or the page of that name. A folder is shown under its
 * name with a slash, so that what its pages link to is found.
 */
export async function resolve(files: SiteFiles, path: string): Promise<Target> {
  const found = async (name: string) => {
    const entry = await files.find(name);
    return entry && { path: name, entry };
  };
  const folder = trimTrailing(path, '/');
  const index = folder === '' ? 'index.html' : `${folder}/index.html`;
  if (folder === '') return found(index);
  const page = () => found(`${folder}.html`);
  if (path.endsWith('/')) return (await found(index)) ?? page();
  const file = await found(path);
  if (file) return file;
  const [inside, beside] = [await found(index), await page()];
  return inside && !beside ? 'slash' : (inside ?? beside);
}
