import { XmlDocuments } from '../../platform/xml-documents.ts';

/** Hits per line number, by file path. */
export type Coverage = Map<string, Map<number, number>>;

const maxSources = 100;
const maxPathLength = 1024;

/** Normalizes a path; undefined when it leads outside its root. */
function normalize(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Collects the coverage of the requested files. */
abstract class CoverageReader {
  readonly files: Coverage = new Map();
  readonly #documents = new XmlDocuments({
    open: (name, attributes) => this.open(name, attributes),
    close: (name) => this.close(name),
    text: (text) => this.text(text),
  });

  protected abstract open(name: string, attributes: Readonly<Record<string, string>>): void;
  protected close(_name: string): void {}
  protected text(_text: string): void {}

  /** Throws when the input is not valid XML. */
  write(text: string): void {
    this.#documents.write(text);
  }

  end(): void {
    this.#documents.end();
  }

  /** Hits add up when several reports cover the same line. */
  protected add(file: string | undefined, line: string | undefined, hits: string | undefined): void {
    const [number, times] = [Number(line), Number(hits)];
    if (file === undefined || !Number.isInteger(number) || number < 1 || !(times >= 0)) return;
    const lines = this.files.get(file) ?? new Map<number, number>();
    lines.set(number, (lines.get(number) ?? 0) + Math.min(Math.trunc(times), Number.MAX_SAFE_INTEGER / 2));
    this.files.set(file, lines);
  }
}

/** Cobertura file names are relative to one of the listed sources, or to the folder that the job ran in. */
export class CoberturaReader extends CoverageReader {
  readonly #requested: ReadonlySet<string>;
  readonly #project: string;
  readonly #sources: string[] = [];
  #source: string | undefined;
  #file: string | undefined;

  /** `project` is the full path of the project, which is the end of the build folder. */
  constructor(requested: ReadonlySet<string>, project: string) {
    super();
    this.#requested = requested;
    this.#project = `/${project}/`;
  }

  protected override open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'source') this.#source = '';
    else if (name === 'class') this.#file = this.#find(attributes.filename ?? '');
    else if (name === 'line') this.add(this.#file, attributes.number, attributes.hits);
  }

  protected override text(text: string): void {
    if (this.#source !== undefined && this.#source.length < maxPathLength) this.#source += text;
  }

  protected override close(name: string): void {
    if (name === 'class') this.#file = undefined;
    if (name !== 'source' || this.#source === undefined) return;
    if (this.#sources.length < maxSources) this.#sources.push(this.#source.trim().slice(0, maxPathLength));
    this.#source = undefined;
  }

  #find(filename: string): string | undefined {
    const name = filename.slice(0, maxPathLength);
    const candidates = [name, ...this.#sources.map((source) => `${source}/${name}`)];
    for (const candidate of candidates) {
      const inside = candidate.includes(this.#project) ? candidate.slice(candidate.indexOf(this.#project)) : candidate;
      const path = normalize(inside === candidate ? candidate : inside.slice(this.#project.length));
      if (path !== undefined && this.#requested.has(path)) return path;
    }
    return undefined;
  }
}

/** JaCoCo reports the package of a file, which is the end of its folder. */
export class JacocoReader extends CoverageReader {
  readonly #requested: readonly string[];
  #package = '';
  #file: string | undefined;

  constructor(requested: ReadonlySet<string>) {
    super();
    this.#requested = [...requested];
  }

  protected override open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'package') this.#package = (attributes.name ?? '').slice(0, maxPathLength);
    else if (name === 'sourcefile') {
      const end = normalize(`${this.#package}/${(attributes.name ?? '').slice(0, maxPathLength)}`);
      this.#file = this.#requested.find((path) => path === end || path.endsWith(`/${end}`));
    } else if (name === 'line') this.add(this.#file, attributes.nr, attributes.ci);
  }

  protected override close(name: string): void {
    if (name === 'sourcefile') this.#file = undefined;
  }
}
