import Type, { type Static } from 'typebox';
import { XmlDocuments } from '../../../platform/xml-documents.ts';
import { isNugetName, normalizedVersion } from './names.ts';

const text = Type.Optional(Type.String());

/** What NuGet is told of a version. */
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
const longestText = 4000;
const longestMetadata = 128 * 1024;
/** What stands deeper is of no use here, and need not be remembered. */
const deepest = 6;

/** Reads the manifest of a package; undefined where it is none. */
export function readNuspec(source: string): Nuspec | undefined {
  const reading = new Reading();
  try {
    const documents = new XmlDocuments(reading);
    documents.write(source.replace(/^\uFEFF/, ''));
    documents.end();
  } catch {
    return undefined;
  }
  const { id: name = '', version: said = '' } = Object.fromEntries(reading.texts);
  const version = normalizedVersion(said);
  if (!isNugetName(name) || version === undefined) return undefined;
  const metadata = reading.metadata();
  return JSON.stringify(metadata).length <= longestMetadata ? { name, version, metadata } : undefined;
}

/** A manifest while it is read. */
class Reading {
  readonly texts = new Map<string, string>();
  readonly #groups: Group[] = [];
  readonly #path: string[] = [];
  #depth = 0;

  open(name: string, { id, version, targetFramework }: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#depth > deepest) return;
    this.#path.push(name);
    const at = this.#path.join('/');
    if (at === 'package/metadata/dependencies/group') {
      this.#groups.push({ ...(targetFramework && { targetFramework }), dependencies: [] });
    }
    const isGrouped = at === 'package/metadata/dependencies/group/dependency';
    if (isGrouped || at === 'package/metadata/dependencies/dependency') this.#depend(id, version, isGrouped);
  }

  close(): void {
    if (this.#depth <= deepest) this.#path.pop();
    this.#depth -= 1;
  }

  text(text: string): void {
    const [root, metadata, field = '', ...more] = this.#path;
    if (this.#depth !== 3 || root !== 'package' || metadata !== 'metadata' || more.length > 0) return;
    this.texts.set(field, `${this.texts.get(field) ?? ''}${text}`.slice(0, longestText));
  }

  metadata(): Metadata {
    const said = fields.flatMap((field) => {
      const value = this.texts.get(field)?.trim();
      return value ? [[field, value]] : [];
    });
    return { ...Object.fromEntries(said), dependencyGroups: this.#groups };
  }

  #depend(id: string | undefined, range: string | undefined, isGrouped: boolean): void {
    if (id === undefined || !isNugetName(id)) return;
    // Those of old manifests stand in no group, and are for every framework.
    if (!isGrouped && this.#groups.length === 0) this.#groups.push({ dependencies: [] });
    this.#groups.at(-1)?.dependencies.push({ id, ...(range && { range }) });
  }
}
