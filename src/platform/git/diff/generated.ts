import { type ReadFile, TreeAttributes } from '../trees/attributes.ts';
import { decodePath } from './text.ts';

const NAMES: ReadonlySet<string> = new Set([
  'Cargo.lock',
  'Gemfile.lock',
  'Gopkg.lock',
  'Package.resolved',
  'Pipfile.lock',
  'Podfile.lock',
  'bun.lock',
  'bun.lockb',
  'cargo-vet.lock',
  'composer.lock',
  'deno.lock',
  'esy.lock',
  'flake.lock',
  'glide.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pdm.lock',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
]);
const FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'Godeps', '__generated__']);
const SUFFIX =
  /(\.min\.(js|css)|\.(js|css)\.map|\.pb\.(go|cc|h)|_pb2(_grpc)?\.py|\.designer\.(cs|vb)|\.feature\.cs|\.g\.dart|\.nib)$/i;

/** Whether the file name or a folder name marks the file as generated. */
export function hasGeneratedName(path: string): boolean {
  const names = path.split('/');
  const name = names.pop() ?? '';
  return NAMES.has(name) || SUFFIX.test(name) || names.some((folder) => FOLDERS.has(folder));
}

/**
 * Returns a predicate for generated files of a tree-ish: `linguist-generated` in its `.gitattributes` decides,
 * otherwise the name. Intended for `applyDiffLimits`.
 */
export function generatedFiles(read: ReadFile): (entry: { readonly newPath: string }) => Promise<boolean> {
  const attributes = new TreeAttributes(read);
  return async (entry) => {
    const path = decodePath(entry.newPath);
    const value = (await attributes.of(path)).get('linguist-generated');
    if (value === undefined) return hasGeneratedName(path);
    return value !== false && value !== 'false';
  };
}
