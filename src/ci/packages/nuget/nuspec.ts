import Type, { type Static } from 'typebox';
import { XmlDocuments } from '../../../platform/xml-documents.ts';
import { isNugetName, normalizedVersion } from './names.ts';

const text = Type.Optional(Type.String());

/** Version metadata served to NuGet clients. */
export const Metadata = Type.Object({
  title: text,
  authors: text,
  description: text,
  summary: text,
  tags: text,
  projectUrl: text,
  licenseUrl: text,
  iconUrl: text,
  dependencyGroups: Type.Array(
    Type.Object({
      targetFramework: text,
      dependencies: Type.Array(Type.Object({ id: Type.String(), range: text })),
    }),
  ),
});
export type Metadata = Static<typeof Metadata>;
type Group = Metadata['dependencyGroups'][number];

export interface Nuspec {
  readonly name: string;
  /** Normalized. */
  readonly version: string;
  readonly metadata: Metadata;
}

const fields = ['title', 'authors', 'description', 'summary', 'tags', 'projectUrl', 'licenseUrl', 'iconUrl'] as const;
const maxTextLength = 4000;
const maxMetadataLength = 128 * 1024;
/** Maximum nesting depth; deeper elements are not needed and are not tracked. */
const maxDepth = 6;

/** Parses the manifest of a package; undefined if it is invalid. */
export function readNuspec(source: string): Nuspec | undefined {
  const parser = new NuspecParser();
  try {
    const documents = new XmlDocuments(parser);
    documents.write(source.replace(/^\uFEFF/, ''));
    documents.end();
  } catch {
    return undefined;
  }
  const { id: name = '', version: rawVersion = '' } = Object.fromEntries(parser.texts);
  const version = normalizedVersion(rawVersion);
  if (!isNugetName(name) || version === undefined) return undefined;
  const metadata = parser.metadata();
  return JSON.stringify(metadata).length <= maxMetadataLength ? { name, version, metadata } : undefined;
}

/** Parser state for a manifest. */
class NuspecParser {
  readonly texts = new Map<string, string>();
  readonly #groups: Group[] = [];
  readonly #path: string[] = [];
  #depth = 0;

  open(name: string, { id, version, targetFramework }: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) return;
    this.#path.push(name);
    const at = this.#path.join('/');
    if (at === 'package/metadata/dependencies/group') {
      this.#groups.push({ ...(targetFramework && { targetFramework }), dependencies: [] });
    }
    const isGrouped = at === 'package/metadata/dependencies/group/dependency';
    if (isGrouped || at === 'package/metadata/dependencies/dependency') this.#depend(id, version, isGrouped);
  }

  close(): void {
    if (this.#depth <= maxDepth) this.#path.pop();
    this.#depth -= 1;
  }

  text(text: string): void {
    const [root, metadata, field = '', ...more] = this.#path;
    if (this.#depth !== 3 || root !== 'package' || metadata !== 'metadata' || more.length > 0) return;
    this.texts.set(field, `${this.texts.get(field) ?? ''}${text}`.slice(0, maxTextLength));
  }

  metadata(): Metadata {
    const entries = fields.flatMap((field) => {
      const value = this.texts.get(field)?.trim();
      return value ? [[field, value]] : [];
    });
    return { ...Object.fromEntries(entries), dependencyGroups: this.#groups };
  }

  #depend(id: string | undefined, range: string | undefined, isGrouped: boolean): void {
    if (id === undefined || !isNugetName(id)) return;
    // Old manifests list dependencies without a group; these apply to every framework.
    if (!isGrouped && this.#groups.length === 0) this.#groups.push({ dependencies: [] });
    this.#groups.at(-1)?.dependencies.push({ id, ...(range && { range }) });
  }
}
