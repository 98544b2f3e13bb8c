import type { Generated, Insertable, Selectable } from 'kysely';
import type { Project, User } from '../../access/tables.ts';

/** How the site of a project is served; a project without a row is served as the instance has it. */
export interface PagesSitesTable {
  project_id: number;
  /** It has a host of its own, which no other project shares. */
  unique_domain_enabled: number;
  https_only: number;
  primary_domain: string | null;
  /** Why the last job that was to publish something did not. */
  problem: Generated<string | null>;
  problem_job_id: Generated<number | null>;
  updated_at: number;
}

/** One site that is up: a copy of the archive of a job, and where in it the files are. */
export interface PagesDeploymentsTable {
  id: Generated<number>;
  project_id: number;
  job_id: number | null;
  /** Which of two jobs has the newer site; the pipeline itself may be gone. */
  pipeline_number: number;
  /** The first part of its paths; empty for the main site. */
  path_prefix: string;
  root_directory: string;
  storage_key: string;
  /** Of the archive, in bytes. */
  size: number;
  file_count: number;
  expires_at: number | null;
  created_at: number;
}

/** Archives whose rows are gone: they are removed soon after, whatever happens in between. */
export interface DeletedPagesFilesTable {
  storage_key: string;
}

/** A domain that people bring for the site of a project. */
export interface PagesDomainsTable {
  id: Generated<number>;
  project_id: number;
  domain: string;
  verification_code: string;
  verified_at: number | null;
  /** Served until then; null while it was never shown to be theirs. */
  enabled_until: number | null;
  /** When it goes by itself, for not being theirs. */
  remove_at: number | null;
  auto_ssl_enabled: number;
  /** PEM, with the intermediates. */
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
    /** Somebody has changed how the site of a project is served, or has taken it down. */
    'pages.changed': {
      readonly project: Project;
      readonly by: User;
      readonly what: 'unpublished' | 'settings' | 'domain added' | 'domain changed' | 'domain removed';
      /** The domain, or the names of the settings. */
      readonly details: string;
    };
  }
}
