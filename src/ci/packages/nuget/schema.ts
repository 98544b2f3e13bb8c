import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { project } from '../schema.ts';

const text = Type.Optional(Type.String());

export const NugetService = entity('NugetService', {
  version: Type.String(),
  resources: Type.Array(Type.Object({ '@id': Type.String(), '@type': Type.String(), comment: Type.String() })),
});
export type ServiceEntity = Static<typeof NugetService>;

export const NugetVersions = entity('NugetVersions', { versions: Type.Array(Type.String()) });

const about = { authors: Type.String(), description: Type.String(), summary: Type.String(), tags: Type.String() };
const addresses = { projectUrl: text, licenseUrl: text, iconUrl: text };

export const NugetVersion = entity('NugetVersion', {
  '@id': Type.String(),
  packageContent: Type.String(),
  catalogEntry: Type.Object({
    '@id': Type.String(),
    id: Type.String(),
    version: Type.String(),
    title: Type.String(),
    ...about,
    ...addresses,
    dependencyGroups: Type.Array(
      Type.Object({
        '@id': Type.String(),
        '@type': Type.String(),
        targetFramework: text,
        dependencies: Type.Array(
          Type.Object({ '@id': Type.String(), '@type': Type.String(), id: Type.String(), range: text }),
        ),
      }),
    ),
    packageContent: Type.String(),
    published: timestamp(),
  }),
});
export type VersionEntity = Static<typeof NugetVersion>;

/** Documents the response, which is streamed because it can be arbitrarily large. */
export const NugetMetadata = entity('NugetMetadata', {
  count: Type.Integer(),
  items: Type.Array(
    Type.Object({
      '@id': Type.String(),
      lower: Type.String(),
      upper: Type.String(),
      count: Type.Integer(),
      items: Type.Array(NugetVersion),
    }),
  ),
});

export const NugetFound = entity('NugetFound', {
  totalHits: Type.Integer(),
  data: Type.Array(
    Type.Object({
      '@type': Type.String(),
      id: Type.String(),
      version: Type.String(),
      title: Type.String(),
      ...about,
      ...addresses,
      totalDownloads: Type.Integer(),
      verified: Type.Boolean(),
      versions: Type.Array(Type.Object({ '@id': Type.String(), version: Type.String(), downloads: Type.Integer() })),
    }),
  ),
});
export type FoundEntity = Static<typeof NugetFound>;

export const NugetPublished = entity('NugetPublished', { message: Type.String() });

export const named = { package_name: required(param.string({ description: 'Package ID, case-insensitive' })) };
export const document = {
  ...named,
  document: required(
    param.string({ description: 'A version, or `index` for all versions; optionally followed by `.json`' }),
  ),
};
export const listOfVersions = {
  ...project,
  ...named,
  document: required(param.oneOf(['index', 'index.json'])),
};
export const version = { ...project, ...named, package_version: required(param.string()) };
export const file = { ...version, package_filename: required(param.string({ description: 'File name' })) };
export const search = {
  q: withDefault(param.string({ description: 'Part of the package ID' }), ''),
  skip: withDefault(param.integer(), 0),
  take: withDefault(param.integer({ description: 'Maximum number of results, up to 100' }), 20),
  prerelease: withDefault(param.boolean({ description: 'Include pre-release versions' }), true),
};
