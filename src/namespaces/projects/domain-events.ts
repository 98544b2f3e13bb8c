import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';

/** A project before and after a change, and the user who changed it; null if it was the server. */
export interface ProjectChange {
  readonly before: Project;
  readonly project: Project;
  readonly by: User | null;
}

/** The current namespace, and the former ancestor groups that no longer apply. */
interface Replaced {
  readonly to: Namespace;
  readonly lost: readonly number[];
}

/** Commits the initial README of a new project. Throws an `HttpError` if a rule forbids it. */
export type FirstCommit = (services: Services, actor: SignedInActor, project: Project) => Promise<Project>;

/** Imports repositories by URL into new projects. */
export interface ImportByUrl {
  /** Throws an `HttpError` for a URL that must not be fetched from. */
  check(services: Services, url: string): Promise<void>;
  /** Starts the import into an existing empty project. */
  begin(services: Services, actor: SignedInActor, project: Project, url: string): Promise<Project>;
}

/** Effects of an update on pull mirroring. */
export interface MirroringChange {
  /** Settings derived from the request. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Called with the updated project, in the transaction of the update. */
  apply(trx: Writer, project: Project): Promise<void>;
}

/**
 * Configures pull mirroring. Throws an `HttpError` for repositories that cannot be mirrored; returns undefined if the
 * request does not concern mirroring. `project` is undefined on creation.
 */
export type ConfigureMirroring = (
  services: Services,
  actor: SignedInActor,
  project: Project | undefined,
  wanted: Readonly<Record<string, unknown>>,
) => Promise<MirroringChange | undefined>;

/** Whether a push that is underway removes a branch. */
export type RemovedBranchFinder = (trx: Writer, projectId: number, branch: string) => Promise<boolean>;

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A project was created, possibly as a fork; it is still empty, and a fork is filled later. */
    'project.created': { readonly project: Project; readonly namespace: Namespace; readonly by: User };
    /** The name, path, settings, visibility or archival of a project changed. Also announced for renames. */
    'project.updated': ProjectChange;
    /** The path of a project changed within its namespace. */
    'project.renamed': ProjectChange & { readonly formerPath: string; readonly fullPath: string };
    /** A project was moved to another namespace. */
    'project.transferred': ProjectChange & { readonly from: Namespace } & Replaced;
    /** The ancestors of a project changed because a group above it was moved. Announced in the background. */
    'project.uprooted': { readonly project: Project } & Replaced;
    /**
     * A project is being deleted. Its rows and those that refer to it still exist; they are deleted after all handlers
     * have run.
     */
    'project.removed': { readonly project: Project };
  }
  interface Contributions {
    'projects.firstCommit': FirstCommit;
    'projects.importUrl': ImportByUrl;
    'projects.follow': ConfigureMirroring;
    'projects.removesBranch': RemovedBranchFinder;
  }
}
