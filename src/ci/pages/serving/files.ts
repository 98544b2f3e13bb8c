import type { Storage } from '../../../platform/storage/storage.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import { type ArchiveEntry, type Finder, openFinder } from '../../artifacts/public.ts';
import type { DeploymentRow } from '../tables.ts';

/** The files of a site, read directly from its archive. */
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

  /** Finds a file by its path in the site. Links and encrypted entries are ignored. */
  async find(path: string): Promise<ArchiveEntry | undefined> {
    const entry = await this.#finder.find(this.#root + path);
    return entry?.plain ? entry : undefined;
  }

  close(): void {
    this.#finder.close();
  }
}

/** What a path within a site resolves to. */
export type Target = { readonly path: string; readonly entry: ArchiveEntry } | 'slash' | undefined;

/**
 * Resolves a path to a file: the file itself, the index of a folder, or the page with `.html` appended. Folders are
 * redirected to their name with a trailing slash, so that relative links work.
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
