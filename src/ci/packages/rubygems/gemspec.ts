import Type, { type Static } from 'typebox';
import { parseDocument } from 'yaml';
import { jsonShape } from '../../../platform/json-shape.ts';
import { isGemVersion } from './versions.ts';

const text = Type.String();
const texts = Type.Array(text);
/** Pairs such as `~>` and `1.0`. */
const Requirements = Type.Array(Type.Tuple([text, text]));
export type Requirements = Static<typeof Requirements>;

/** What RubyGems is told of a gem. */
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
  /** A day. */
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
const longest = 128 * 1024;
const operators = ['=', '!=', '>', '<', '>=', '<=', '~>'];
const word = /^[A-Za-z0-9._-]+$/;

/** Whether a text can be the name of a gem. */
export function isGemName(name: string): boolean {
  return name.length <= 255 && word.test(name) && /[A-Za-z]/.test(name) && !/^[.-]/.test(name);
}

const isPlatform = (platform: string) => platform.length <= 100 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(platform);

/** What a gem is called without its ending: that of another platform than Ruby itself says so. */
export function fullName({ name, version, platform }: Pick<Gemspec, 'name' | 'version' | 'platform'>): string {
  return platform === 'ruby' ? `${name}-${version}` : `${name}-${version}-${platform}`;
}

/** Reads the metadata of a gem; undefined where it is none. */
export function readGemspec(source: string): Gemspec | undefined {
  // The names of Ruby's classes are passed over: nothing is made of them, and plain words stay what was written.
  const document = parseDocument(source, { schema: 'failsafe', logLevel: 'error' });
  if (document.errors.length > 0) return undefined;
  let values: unknown;
  try {
    // Aliases of aliases can stand for far more than the file holds.
    values = document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
  const gem = fields(record(values));
  if (!shape.fits(gem) || !isSound(gem)) return undefined;
  return JSON.stringify(gem).length <= longest ? gem : undefined;
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

function isSound({ name, version, platform, dependencies, ...gem }: Gemspec): boolean {
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
    required.every(([operator, wanted]) => operators.includes(operator) && isGemVersion(wanted))
  );
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One text, or a list of them. */
function listed(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** What a requirement asks for; one that asks for nothing takes every version. */
function requirements(value: unknown): unknown {
  const all = record(value).requirements;
  if (all === undefined) return [['>=', '0']];
  if (!Array.isArray(all)) return undefined;
  return all.map((pair) => (Array.isArray(pair) ? [pair[0], record(pair[1]).version] : pair));
}
