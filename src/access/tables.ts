import type { Generated, Insertable, Selectable } from 'kysely';

/** The kind of account of a user row. */
export type UserKind = 'human' | 'project_bot' | 'service_account' | 'ghost' | 'placeholder';
export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'ldap_blocked' | 'blocked_pending_approval';

export interface UsersTable {
  id: Generated<number>;
  username: string;
  name: string;
  email: string;
  public_email: string | null;
  commit_email: string | null;
  unconfirmed_email: string | null;
  kind: Generated<UserKind>;
  state: Generated<UserState>;
  admin: Generated<number>;
  auditor: Generated<number>;
  external: Generated<number>;
  private_profile: Generated<number>;
  can_create_group: Generated<number>;
  two_factor_enabled: Generated<number>;
  /** When the user was first told to set up a second factor, while they have none. */
  two_factor_grace_started_at: number | null;
  /** The digest of the terms of use that the user accepted last. */
  accepted_terms: string | null;
  projects_limit: Generated<number>;
  password_digest: string | null;
  password_expires_at: number | null;
  failed_attempts: Generated<number>;
  locked_until: number | null;
  confirmed_at: number | null;
  created_by_id: number | null;
  bot_project_id: number | null;
  bot_namespace_id: number | null;
  provisioned_by_group_id: number | null;
  avatar: string | null;
  bio: Generated<string>;
  location: Generated<string>;
  linkedin: Generated<string>;
  twitter: Generated<string>;
  discord: Generated<string>;
  github: Generated<string>;
  website_url: Generated<string>;
  organization: Generated<string>;
  job_title: string | null;
  pronouns: string | null;
  timezone: string | null;
  note: string | null;
  preferred_language: Generated<string>;
  theme_id: Generated<number>;
  color_scheme_id: Generated<number>;
  preferences: Generated<string>;
  shared_runners_minutes_limit: number | null;
  extra_shared_runners_minutes_limit: number | null;
  sign_in_count: Generated<number>;
  current_sign_in_at: number | null;
  last_sign_in_at: number | null;
  current_sign_in_ip: string | null;
  last_sign_in_ip: string | null;
  last_activity_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface EmailsTable {
  id: Generated<number>;
  user_id: number;
  email: string;
  confirmed_at: number | null;
  created_at: number;
}

export interface AccessTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  description: string | null;
  digest: string;
  scopes: string;
  impersonation: Generated<number>;
  revoked: Generated<number>;
  revoked_at: Generated<number | null>;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_ips: Generated<string>;
  family_id: number | null;
  /** How many days before expiry the owner was last notified. */
  expiry_told: Generated<number | null>;
  created_at: number;
}

/** A web session; its cookie is stored as a digest. */
export interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  digest: string;
  ip: string;
  user_agent: string;
  last_used_at: number;
  expires_at: number;
  created_at: number;
}

/** The access and refresh token of an OAuth application that acts for a user. */
export interface OAuthTokensTable {
  id: Generated<number>;
  application_id: number;
  user_id: number;
  digest: string;
  refresh_digest: string;
  scopes: string;
  family: string;
  revoked: number;
  created_at: number;
  expires_at: number;
}

export interface NamespacesTable {
  id: Generated<number>;
  kind: 'group' | 'user';
  parent_id: number | null;
  owner_id: number | null;
  name: string;
  path: string;
  full_path: string;
  full_name: string;
  description: Generated<string>;
  visibility: Generated<number>;
  archived: Generated<number>;
  avatar: string | null;
  settings: Generated<string>;
  runners_token: string | null;
  marked_for_deletion_at: number | null;
  marked_by_id: number | null;
  created_at: number;
  updated_at: number;
}

export interface NamespaceAncestorsTable {
  namespace_id: number;
  ancestor_id: number;
  depth: number;
}

/** Groups in which, or inside which, a user has roles without expiry; maintained by triggers. */
export interface GroupsAroundTable {
  user_id: number;
  namespace_id: number;
  /** Number of places with such a role. */
  places: number;
}

/** Total size per project of one kind of data, such as job artifacts and logs; maintained by triggers. */
export interface SizesTable {
  project_id: number;
  total: number;
}

export interface ProjectsTable {
  id: Generated<number>;
  namespace_id: number;
  creator_id: number | null;
  name: string;
  path: string;
  description: string | null;
  visibility: Generated<number>;
  default_branch: string | null;
  empty_repo: Generated<number>;
  archived: Generated<number>;
  avatar: string | null;
  topics: Generated<string>;
  issues_access: Generated<number>;
  merge_requests_access: Generated<number>;
  repository_access: Generated<number>;
  settings: Generated<string>;
  runners_token: string | null;
  star_count: Generated<number>;
  forks_count: Generated<number>;
  forked_from_id: number | null;
  fork_root_id: number | null;
  repository_storage: Generated<string>;
  repository_size: Generated<number>;
  lfs_objects_size: Generated<number>;
  uploads_size: Generated<number>;
  packages_size: Generated<number>;
  container_registry_size: Generated<number>;
  wiki_size: Generated<number>;
  commit_count: Generated<number>;
  readme_path: string | null;
  languages_commit: string | null;
  housekeeping_since: number | null;
  import_status: Generated<string>;
  import_type: string | null;
  import_url: string | null;
  import_error: string | null;
  marked_for_deletion_at: number | null;
  marked_by_id: number | null;
  last_activity_at: number;
  created_at: number;
  updated_at: number;
}

export interface RoutesTable {
  path: string;
  namespace_id: number | null;
  project_id: number | null;
  redirect: Generated<number>;
}

export interface MembersTable {
  id: Generated<number>;
  user_id: number;
  namespace_id: number | null;
  project_id: number | null;
  access_level: number;
  /** The custom role, whose base role is the access level. */
  member_role_id: Generated<number | null>;
  expires_at: number | null;
  created_by_id: number | null;
  /** The role comes from an LDAP group. */
  ldap: Generated<number>;
  /** An LDAP role was overridden by a user. */
  override: Generated<number>;
  created_at: number;
  /** Null until the first change. */
  updated_at: Generated<number | null>;
}

/** Custom roles: a default role and permissions added to it. */
export interface MemberRolesTable {
  id: Generated<number>;
  /** The top-level group that defined it; null for roles of the instance. */
  namespace_id: number | null;
  name: string;
  description: string | null;
  base_access_level: number;
  /** Names of permissions, as JSON. */
  permissions: string;
  created_at: number;
}

/** Invitations by email: a user who confirms the address becomes a member. */
export interface MemberInvitationsTable {
  id: Generated<number>;
  namespace_id: number | null;
  project_id: number | null;
  /** In lower case. */
  email: string;
  token: string;
  access_level: number;
  member_role_id: Generated<number | null>;
  expires_at: number | null;
  created_by_id: number | null;
  created_at: number;
  /** Null until the first change. */
  updated_at: Generated<number | null>;
}

export interface AccessRequestsTable {
  id: Generated<number>;
  user_id: number;
  namespace_id: number | null;
  project_id: number | null;
  requested_at: number;
}

export interface GroupSharesTable {
  id: Generated<number>;
  namespace_id: number;
  with_namespace_id: number;
  access_level: number;
  member_role_id: Generated<number | null>;
  expires_at: number | null;
  created_at: number;
}

export interface ProjectSharesTable {
  id: Generated<number>;
  project_id: number;
  with_namespace_id: number;
  access_level: number;
  member_role_id: Generated<number | null>;
  expires_at: number | null;
  created_at: number;
}

/**
 * Jobs whose tokens a project accepts: those of a project, of all projects below a group, or of all projects if neither
 * is set.
 */
export interface JobTokenAllowlistTable {
  id: Generated<number>;
  project_id: number;
  target_project_id: number | null;
  target_group_id: number | null;
  created_at: number;
}

/** The instance-wide settings: a single row. */
export interface ApplicationSettingsTable {
  id: number;
  settings: string;
  /** Non-default limits, and who set them. */
  plan_limits: Generated<string>;
  /** How the instance presents itself. */
  appearance: Generated<string>;
  updated_at: number;
}

/** Messages that administrators show to all users for a while. */
export interface BroadcastMessagesTable {
  id: Generated<number>;
  /** Markdown. */
  message: string;
  starts_at: number;
  ends_at: number;
  color: string | null;
  font: string | null;
  /** The roles it targets, as JSON; empty for all users. */
  target_access_levels: string;
  target_path: string | null;
  broadcast_type: 'banner' | 'notification';
  dismissable: number;
  theme: string;
}

export type User = Selectable<UsersTable>;
export type NewUser = Insertable<UsersTable>;
export type Session = Selectable<SessionsTable>;
export type AccessToken = Selectable<AccessTokensTable>;
export type OAuthToken = Selectable<OAuthTokensTable>;
export type Namespace = Selectable<NamespacesTable>;
export type Project = Selectable<ProjectsTable>;
export type Member = Selectable<MembersTable>;
export type BroadcastMessage = Selectable<BroadcastMessagesTable>;

declare module '../platform/database/tables.ts' {
  interface Tables {
    users: UsersTable;
    emails: EmailsTable;
    access_tokens: AccessTokensTable;
    sessions: SessionsTable;
    oauth_tokens: OAuthTokensTable;
    namespaces: NamespacesTable;
    namespace_ancestors: NamespaceAncestorsTable;
    derived_groups_around: GroupsAroundTable;
    derived_artifact_sizes: SizesTable;
    derived_snippet_sizes: SizesTable;
    projects: ProjectsTable;
    routes: RoutesTable;
    members: MembersTable;
    member_roles: MemberRolesTable;
    member_invitations: MemberInvitationsTable;
    access_requests: AccessRequestsTable;
    group_shares: GroupSharesTable;
    project_shares: ProjectSharesTable;
    application_settings: ApplicationSettingsTable;
    broadcast_messages: BroadcastMessagesTable;
    job_token_allowlist: JobTokenAllowlistTable;
  }
}
