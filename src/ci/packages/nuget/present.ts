import type { Services } from '../../../access/services.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { addressOfProject, type Feed } from './feed.ts';
import { nugetFile } from './names.ts';
import { Metadata } from './nuspec.ts';
import type { VersionEntity } from './schema.ts';
import type { detailsOf } from './store.ts';

type Details = Awaited<ReturnType<typeof detailsOf>>[number];

const readMetadata = storedJson(Metadata);

/** URL of the metadata of a version. */
export function versionAddress({ address }: Feed, name: string, version: string): string {
  return `${address}/metadata/${encodeURIComponent(name)}/${version}.json`;
}

/** Descriptive fields of a version, each as a string. */
export function presentAbout({ name, metadata }: Pick<Details, 'name' | 'metadata'>) {
  const { title, authors, description, summary, tags, projectUrl, licenseUrl, iconUrl } = readMetadata(metadata);
  return {
    title: title ?? name,
    authors: authors ?? '',
    description: description ?? '',
    summary: summary ?? description ?? '',
    tags: tags ?? '',
    ...(projectUrl && { projectUrl }),
    ...(licenseUrl && { licenseUrl }),
    ...(iconUrl && { iconUrl }),
  };
}

/** Presents a version. Its file URL always refers to the project, whichever feed was requested. */
export function presentVersion(services: Services, feed: Feed, row: Details): VersionEntity {
  const { name, lower_version, project_id, created_at } = row;
  const at = versionAddress(feed, name, lower_version);
  const files = `${addressOfProject(services, project_id)}/download/${encodeURIComponent(name)}/${lower_version}`;
  const packageContent = `${files}/${encodeURIComponent(nugetFile(name, lower_version))}`;
  const dependencyGroups = readMetadata(row.metadata).dependencyGroups.map((group) => {
    const id = `${at}#dependencyGroup${group.targetFramework ? `/${group.targetFramework.toLowerCase()}` : ''}`;
    const dependencies = group.dependencies.map((one) => ({
      '@id': `${id}/${one.id.toLowerCase()}`,
      '@type': 'PackageDependency',
      ...one,
    }));
    return { '@id': id, '@type': 'PackageDependencyGroup', ...group, dependencies };
  });
  return {
    '@id': at,
    packageContent,
    catalogEntry: {
      '@id': at,
      id: name,
      version: row.version ?? lower_version,
      ...presentAbout(row),
      dependencyGroups,
      packageContent,
      published: instant(created_at),
    },
  };
}
