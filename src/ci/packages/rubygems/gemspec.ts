import Type, { type Static } from 'typebox';
import { parseDocument } from 'yaml';
import { jsonShape } from '../../../platform/json-shape.ts';
import { isGemVersion } from './versions.ts';

const text = Type.String();
const texts = Type.Array(text);
/** Pairs of operator and version, e.g. `~>` and `1.0`. */
const Requirements = Type.Array(Type.Tuple([text, text]));
export type Requirements = Static<typeof Requirements>;

/** Gem metadata served to RubyGems clients. */
export const Gemspec = Type.Object({
  name: text,
  version: text,
  platform: text,
  summary: text,
  description: text,
  homepage: text,
  email: texts,
  authors: texts,
  licenses: texts,
  metadata: Type.Record(text, text),
  /** A date without time. */
  date: Type.Optional(text),
  rubygems_version: text,
  required_ruby_version: Requirements,
  required_rubygems_version: Requirements,
  dependencies: Type.Array(
    Type.Object({
      name: text,
      type: Type.Union([Type.Literal('runtime'), Type.Literal('development')]),
      requirements: Requirements,
    }),
  ),
});
export type Gemspec = Static<typeof Gemspec>;

const shape = jsonShape(Gemspec);
const maxMetadataLength = 128 * 1024;
const operators = ['=', '!=', '>', '<', '>=', '<=', '~>'];
const word = /^[A-Za-z0-9._-]+$/;

/** Whether a string is a valid gem name. */
export function isGemName(name: string): boolean {
  return name.length <= 255 && word.test(name) && /[A-Za-z]/.test(name) && !/^[.-]/.test(name);
}

const isPlatform = (platform: string) => platform.length <= 100 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(platform);

/** Name of a gem file without extension; platforms other than `ruby` are appended. */
export function fullName({ name, version, platform }: Pick<Gemspec, 'name' | 'version' | 'platform'>): string {
  return platform === 'ruby' ? `${name}-${version}` : `${name}-${version}-${platform}`;
}

/** Parses the metadata of a gem; undefined if it is invalid. */
export function readGemspec(source: string): Gemspec | undefined {
  // The failsafe schema ignores Ruby class tags, so nothing is instantiated, and keeps scalars as strings.
  const document = parseDocument(source, { schema: 'failsafe', logLevel: 'error' });
  if (document.errors.length > 0) return undefined;
  let values: unknown;
  try {
    // Limits alias expansion ("billion laughs").
    values = document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
  const gem = fields(record(values));
  if (!shape.fits(gem) || !isValid(gem)) return undefined;
  return JSON.stringify(gem).length <= maxMetadataLength ? gem : undefined;
}

function fields(gem: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(words(gem.date))?.[0];
  return {
    name: gem.name,
    version: record(gem.version).version,
    platform: words(gem.platform) || 'ruby',
    summary: words(gem.summary),
    description: words(gem.description),
    homepage: words(gem.homepage),
    email: listed(gem.email),
    authors: listed(gem.authors),
    licenses: listed(gem.licenses),
    metadata: Object.fromEntries(Object.entries(record(gem.metadata)).filter(([, value]) => typeof value === 'string')),
    ...(day && { date: day }),
    rubygems_version: words(gem.rubygems_version),
    required_ruby_version: requirements(gem.required_ruby_version),
    required_rubygems_version: requirements(gem.required_rubygems_version),
    dependencies: (Array.isArray(gem.dependencies) ? gem.dependencies : []).map((one) => {
      const { name, type, requirement, version_requirements } = record(one);
      const isDevelopment = type === ':development';
      return {
        name,
        type: isDevelopment ? 'development' : 'runtime',
        requirements: requirements(requirement ?? version_requirements),
      };
    }),
  };
}

function isValid({ name, version, platform, dependencies, ...gem }: Gemspec): boolean {
  const required = [
    gem.required_ruby_version,
    gem.required_rubygems_version,
    ...dependencies.map(({ requirements }) => requirements),
  ].flat();
  return (
    isGemName(name) &&
    isGemVersion(version) &&
    isPlatform(platform) &&
    `${fullName({ name, version, platform })}.gem`.length <= 255 &&
    dependencies.every((one) => isGemName(one.name)) &&
    required.every(([operator, operand]) => operators.includes(operator) && isGemVersion(operand))
  );
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Normalizes a string or a list of strings to a list. */
function listed(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** The requirements of a dependency; an empty requirement accepts every version. */
function requirements(value: unknown): unknown {
  const all = record(value).requirements;
  if (all === undefined) return [['>=', '0']];
  if (!Array.isArray(all)) return undefined;
  return all.map((pair) => (Array.isArray(pair) ? [pair[0], record(pair[1]).version] : pair));
}
