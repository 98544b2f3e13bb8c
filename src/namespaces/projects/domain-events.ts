import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';

/** A project as it was and as it is now, and who changed it; null where the server did. */
export interface ProjectChange {
  readonly before: Project;
  readonly project: Project;
  readonly by: User | null;
}

/** Where something is now, and which groups were above it before and are no longer. */
interface Replaced {
  readonly to: Namespace;
  readonly lost: readonly number[];
}

/** Makes the first commit of a new project: a README. Refuses with an `HttpError` where a rule forbids it. */
export type FirstCommit = (services: Services, actor: SignedInActor, project: Project) => Promise<Project>;

/** Fills new projects from repositories elsewhere. */
export interface ImportByUrl {
  /** Refuses with an `HttpError` an address that nothing may be fetched from. */
  check(services: Services, url: string): Promise<void>;
  /** Lets the history be fetched into a project that is there and empty. */
  begin(services: Services, actor: SignedInActor, project: Project, url: string): Promise<Project>;
}

/** What a change to a project means for the repository that it follows. */
export interface Following {
  /** Settings that follow from those that were sent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** To be called with the changed project, in the transaction that changed it. */
  apply(trx: Writer, project: Project): Promise<void>;
}

/**
 * Lets projects follow repositories elsewhere. Refuses with an `HttpError` what cannot be followed; undefined for a request
 * that says nothing of it. A project that is yet to be made is undefined.
 */
export type FollowRepository = (
  services: Services,
  actor: SignedInActor,
  project: Project | undefined,
  wanted: Readonly<Record<string, unknown>>,
) => Promise<Following | undefined>;

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A project has been created, by itself or as a fork; it is empty, and a fork is filled later. */
    'project.created': { readonly project: Project; readonly namespace: Namespace; readonly by: User };
    /** Something about a project has changed in its place: name, settings, visibility, archival. Told of renamed ones too. */
    'project.updated': ProjectChange;
    /** A project has another path, in the same namespace. */
    'project.renamed': ProjectChange & { readonly formerPath: string; readonly fullPath: string };
    /** A project is in another namespace. */
    'project.transferred': ProjectChange & { readonly from: Namespace } & Replaced;
    /** A project stayed where it is, and is below other groups than before: one of them was moved. Told in the background. */
    'project.uprooted': { readonly project: Project } & Replaced;
    /** A project goes for good. Its rows, and those that refer to it, are still there: they go when all were told. */
    'project.removed': { readonly project: Project };
  }
  interface Contributions {
    'projects.firstCommit': FirstCommit;
    'projects.importUrl': ImportByUrl;
    'projects.follow': FollowRepository;
  }
}
