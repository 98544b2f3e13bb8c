import { XmlDocuments } from '../../platform/xml-documents.ts';

/** How often the tests have reached each line of some files. */
export type Coverage = Map<string, Map<number, number>>;

const maxSources = 100;
const longestPath = 1024;

/** The parts of a path without what leads nowhere; undefined where it leads out. */
function tidy(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Keeps what reports say of the files that are asked for. */
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

  /** Throws where it is not XML. */
  write(text: string): void {
    this.#documents.write(text);
  }

  end(): void {
    this.#documents.end();
  }

  /** Several reports may have run the same line. */
  protected add(file: string | undefined, line: string | undefined, hits: string | undefined): void {
    const [number, times] = [Number(line), Number(hits)];
    if (file === undefined || !Number.isInteger(number) || number < 1 || !(times >= 0)) return;
    const lines = this.files.get(file) ?? new Map<number, number>();
    lines.set(number, (lines.get(number) ?? 0) + Math.min(Math.trunc(times), Number.MAX_SAFE_INTEGER / 2));
    this.files.set(file, lines);
  }
}

/** Cobertura names files as the folders that it was told of have them: below those, or below where the job has run. */
export class CoberturaReader extends CoverageReader {
  readonly #asked: ReadonlySet<string>;
  readonly #project: string;
  readonly #sources: string[] = [];
  #source: string | undefined;
  #file: string | undefined;

  /** `project` is its whole path, which ends the folder that jobs run in. */
  constructor(asked: ReadonlySet<string>, project: string) {
    super();
    this.#asked = asked;
    this.#project = `/${project}/`;
  }

  protected override open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'source') this.#source = '';
    else if (name === 'class') this.#file = this.#find(attributes.filename ?? '');
    else if (name === 'line') this.add(this.#file, attributes.number, attributes.hits);
  }

  protected override text(text: string): void {
    if (this.#source !== undefined && this.#source.length < longestPath) this.#source += text;
  }

  protected override close(name: string): void {
    if (name === 'class') this.#file = undefined;
    if (name !== 'source' || this.#source === undefined) return;
    if (this.#sources.length < maxSources) this.#sources.push(this.#source.trim().slice(0, longestPath));
    this.#source = undefined;
  }

  #find(filename: string): string | undefined {
    const name = filename.slice(0, longestPath);
    const places = [name, ...this.#sources.map((source) => `${source}/${name}`)];
    for (const place of places) {
      const inside = place.includes(this.#project) ? place.slice(place.indexOf(this.#project)) : place;
      const path = tidy(inside === place ? place : inside.slice(this.#project.length));
      if (path !== undefined && this.#asked.has(path)) return path;
    }
    return undefined;
  }
}

/** JaCoCo knows the package of a file, which is the end of the folder that it lies in. */
export class JacocoReader extends CoverageReader {
  readonly #asked: readonly string[];
  #package = '';
  #file: string | undefined;

  constructor(asked: ReadonlySet<string>) {
    super();
    this.#asked = [...asked];
  }

  protected override open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'package') this.#package = (attributes.name ?? '').slice(0, longestPath);
    else if (name === 'sourcefile') {
      const end = tidy(`${this.#package}/${(attributes.name ?? '').slice(0, longestPath)}`);
      this.#file = this.#asked.find((path) => path === end || path.endsWith(`/${end}`));
    } else if (name === 'line') this.add(this.#file, attributes.nr, attributes.ci);
  }

  protected override close(name: string): void {
    if (name === 'sourcefile') this.#file = undefined;
  }
}
