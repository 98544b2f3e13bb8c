import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type Below, readablePackagesOf } from '../gate.ts';
import type { ServiceEntity } from './schema.ts';
import { projectsBelow } from './store.ts';

const maxProjects = 500;

/** Where NuGet packages are asked for: a project, or the projects of a group that the caller reads. */
export interface Feed {
  /** Below which its documents stand. */
  readonly address: string;
  /** Whether packages are sent to it, and files fetched from it: of a group the projects do that. */
  readonly isProject: boolean;
  /** The projects that have packages, of one name or of any. */
  projects(name?: string): Promise<readonly number[]>;
}

export const addressOfProject = ({ externalUrl }: Services, id: number) =>
  `${externalUrl}/api/v4/projects/${id}/packages/nuget`;

export function feedOfProject(services: Services, { id }: { readonly id: number }): Feed {
  return { address: addressOfProject(services, id), isProject: true, projects: async () => [id] };
}

export function feedOfGroup(services: Services, caller: Actor, { namespaceId }: Below): Feed {
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

/** What NuGet asks for first: which services there are, and where. */
export function describeFeed({ address, isProject }: Feed): ServiceEntity {
  const services = [
    { at: '/query', types: versioned('SearchQueryService'), comment: 'Find packages by a part of their id.' },
    { at: '/metadata', types: versioned('RegistrationsBaseUrl'), comment: 'What is known of versions.' },
    ...(isProject
      ? [
          { at: '/download', types: ['PackageBaseAddress/3.0.0'], comment: 'The files of packages.' },
          { at: '', types: ['PackagePublish/2.0.0'], comment: 'Publish and delete packages.' },
          { at: '/symbolpackage', types: ['SymbolPackagePublish/4.9.0'], comment: 'Publish symbols of packages.' },
        ]
      : []),
  ];
  const resources = services.flatMap(({ at, types, comment }) =>
    types.map((type) => ({ '@id': `${address}${at}`, '@type': type, comment })),
  );
  return { version: '3.0.0', resources };
}
