import { gzipSync } from 'node:zlib';
import { plainTar } from '../../support/tar.ts';

interface Parts {
  readonly platform?: string;
  /** Additional lines of the specification. */
  readonly more?: string;
}

/** A specification in the format of `gem build`. */
export function gemspecText(name: string, version: string, { platform = 'ruby', more = '' }: Parts = {}): string {
  return `--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: ${version}
platform: ${platform}
authors:
- A
date: 2026-11-18 00:00:00.000000000 Z
summary: 'Shines: "é"'
required_ruby_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: '2.0'
${more}`;
}

/** Specification lines for a dependency. */
export const needs = (name: string, operator: string, version: string, type = ':runtime') => `dependencies:
- !ruby/object:Gem::Dependency
  name: ${name}
  requirement: &1 !ruby/object:Gem::Requirement
    requirements:
    - - "${operator}"
      - !ruby/object:Gem::Version
        version: ${version}
  type: ${type}
  prerelease: false
  version_requirements: *1
`;

/** A gem in the format of `gem build`. */
export function gem(name: string, version: string, parts: Parts = {}): Buffer {
  return plainTar({ 'metadata.gz': gzipSync(gemspecText(name, version, parts)), 'data.tar.gz': 'bytes' });
}
