import type { Generated, Insertable, Selectable } from 'kysely';
import type { Project, User } from '../../access/tables.ts';

/** Pages settings of a project. Projects without a row use the instance defaults. */
export interface PagesSitesTable {
  project_id: number;
  /** Whether the site has a unique domain. */
  unique_domain_enabled: number;
  https_only: number;
  primary_domain: string | null;
  /** Why the last job could not publish. */
  problem: Generated<string | null>;
  problem_job_id: Generated<number | null>;
  updated_at: number;
}

/** A published site: a copy of an artifacts archive and the folder to serve from it. */
export interface PagesDeploymentsTable {
  id: Generated<number>;
  project_id: number;
  job_id: number | null;
  /** Determines which of two jobs is newer; the pipeline itself may be deleted. */
  pipeline_number: number;
  /** First path segment; empty for the main site. */
  path_prefix: string;
  root_directory: string;
  storage_key: string;
  /** Size of the archive in bytes. */
  size: number;
  file_count: number;
  expires_at: number | null;
  created_at: number;
}

/** Archives without a row, to be removed. */
export interface DeletedPagesFilesTable {
  storage_key: string;
}

/** A custom domain of a project's site. */
export interface PagesDomainsTable {
  id: Generated<number>;
  project_id: number;
  domain: string;
  verification_code: string;
  verified_at: number | null;
  /** Served until this time; null if it was never verified. */
  enabled_until: number | null;
  /** Time at which the unverified domain is removed. */
  remove_at: number | null;
  auto_ssl_enabled: number;
  /** PEM, with intermediates. */
  certificate: string | null;
  encrypted_key: string | null;
  certificate_valid_until: number | null;
  created_at: number;
}

export type SiteRow = Selectable<PagesSitesTable>;
export type DeploymentRow = Selectable<PagesDeploymentsTable>;
export type NewDeploymentRow = Insertable<PagesDeploymentsTable>;
export type DomainRow = Selectable<PagesDomainsTable>;
export type NewDomainRow = Insertable<PagesDomainsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pages_sites: PagesSitesTable;
    pages_deployments: PagesDeploymentsTable;
    deleted_pages_files: DeletedPagesFilesTable;
    pages_domains: PagesDomainsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A user changed the Pages settings of a project or unpublished its site. */
    'pages.changed': {
      readonly project: Project;
      readonly by: User;
      readonly what: 'unpublished' | 'settings' | 'domain added' | 'domain changed' | 'domain removed';
      /** The domain, or the names of the changed settings. */
      readonly details: string;
    };
  }
}
