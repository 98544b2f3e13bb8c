import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type PackageGroup, readablePackagesOf } from '../gate.ts';
import type { ServiceEntity } from './schema.ts';
import { projectsBelow } from './store.ts';

const maxProjects = 500;

/** A NuGet feed: a project, or the projects of a group the caller can read. */
export interface Feed {
  /** Base URL of the feed. */
  readonly address: string;
  /** Whether the feed supports publishing and downloads. Group feeds refer to their projects for these. */
  readonly isProject: boolean;
  /** Projects that have packages, optionally with a given name. */
  projects(name?: string): Promise<readonly number[]>;
}

export const addressOfProject = ({ externalUrl }: Services, id: number) =>
  `${externalUrl}/api/v4/projects/${id}/packages/nuget`;

export function feedOfProject(services: Services, { id }: { readonly id: number }): Feed {
  return { address: addressOfProject(services, id), isProject: true, projects: async () => [id] };
}

export function feedOfGroup(services: Services, caller: Actor, { namespaceId }: PackageGroup): Feed {
  return {
    address: `${services.externalUrl}/api/v4/groups/${namespaceId}/-/packages/nuget`,
    isProject: false,
    async projects(name) {
      const found = await projectsBelow(services.db.read, namespaceId, name, maxProjects);
      return (await readablePackagesOf(services, caller, found)).map(({ project }) => project.id);
    },
  };
}

const versioned = (type: string) => [type, `${type}/3.0.0-beta`, `${type}/3.0.0-rc`];

/** The NuGet service index, which clients request first. */
export function describeFeed({ address, isProject }: Feed): ServiceEntity {
  const services = [
    { at: '/query', types: versioned('SearchQueryService'), comment: 'Search packages by a part of their ID.' },
    { at: '/metadata', types: versioned('RegistrationsBaseUrl'), comment: 'Metadata of package versions.' },
    ...(isProject
      ? [
          { at: '/download', types: ['PackageBaseAddress/3.0.0'], comment: 'Package files.' },
          { at: '', types: ['PackagePublish/2.0.0'], comment: 'Publish and delete packages.' },
          { at: '/symbolpackage', types: ['SymbolPackagePublish/4.9.0'], comment: 'Publish package symbols.' },
        ]
      : []),
  ];
  const resources = services.flatMap(({ at, types, comment }) =>
    types.map((type) => ({ '@id': `${address}${at}`, '@type': type, comment })),
  );
  return { version: '3.0.0', resources };
}
