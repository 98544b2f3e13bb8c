import type { Gemspec, Requirements } from './gemspec.ts';
import * as marshal from './marshal.ts';

const { text, list, symbol } = marshal;

const version = (value: string) => marshal.valued('Gem::Version', list([text(value)]));

function requirement(pairs: Requirements) {
  const asked = pairs.map(([operator, operand]) => list([text(operator), version(operand)]));
  return marshal.valued('Gem::Requirement', list([list(asked)]));
}

/** An index entry of a gem: name, version and platform. */
export function presentListed(gem: Pick<Gemspec, 'name' | 'version' | 'platform'>): marshal.Dumped {
  return list([text(gem.name), version(gem.version), text(gem.platform)]);
}

/** Runtime dependencies of a gem, in the format of Bundler. */
export function presentDependencies({ name, version: number, platform, dependencies }: Gemspec): marshal.Dumped {
  const needed = dependencies
    .filter(({ type }) => type === 'runtime')
    .map((one) => list([text(one.name), text(one.requirements.map((pair) => pair.join(' ')).join(', '))]));
  return marshal.hash([
    [symbol('name'), text(name)],
    [symbol('number'), text(number)],
    [symbol('platform'), text(platform)],
    [symbol('dependencies'), list(needed)],
  ]);
}

/** Serializes a gem specification like Ruby does, with fields in the same order. */
export function presentGemspec(gem: Gemspec): Buffer {
  const dependencies = gem.dependencies.map(({ name, type, requirements }) =>
    marshal.object('Gem::Dependency', {
      name: text(name),
      requirement: requirement(requirements),
      type: symbol(type),
      prerelease: marshal.no,
    }),
  );
  const metadata = Object.entries(gem.metadata).map(([key, value]) => [text(key), text(value)] as const);
  const fields = [
    text(gem.rubygems_version),
    marshal.integer(4),
    text(gem.name),
    version(gem.version),
    gem.date === undefined ? marshal.nil : text(gem.date),
    text(gem.summary),
    requirement(gem.required_ruby_version),
    requirement(gem.required_rubygems_version),
    text(gem.platform),
    list(dependencies),
    text(''),
    list(gem.email.map(text)),
    list(gem.authors.map(text)),
    text(gem.description),
    text(gem.homepage),
    marshal.yes,
    text(gem.platform),
    list(gem.licenses.map(text)),
    marshal.hash(metadata),
  ];
  return marshal.document(marshal.packed('Gem::Specification', marshal.document(list(fields))));
}
