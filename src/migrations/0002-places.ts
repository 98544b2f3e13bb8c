import type { Migration } from '../platform/database/migrator.ts';

/** Namespaces, projects, their paths and members. */
export const places: Migration = {
  name: '0002-places',
  up: ({ id, text }) => [
    `create table namespaces (
      id ${id},
      kind text not null,
      parent_id bigint references namespaces (id),
      owner_id bigint references users (id) on delete cascade,
      name ${text} not null,
      path ${text} not null,
      full_path ${text} not null,
      full_name ${text} not null,
      description text not null default '',
      visibility integer not null default 0,
      archived integer not null default 0,
      avatar text,
      settings text not null default '{}',
      runners_token text,
      marked_for_deletion_at bigint,
      marked_by_id bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index namespaces_owner on namespaces (owner_id) where owner_id is not null',
    'create unique index namespaces_parent on namespaces (parent_id, name) where parent_id is not null',
    "create index namespaces_name on namespaces (name, id) where kind = 'group'",
    "create index namespaces_path on namespaces (path, id) where kind = 'group'",
    "create index namespaces_visibility on namespaces (visibility, name, id) where kind = 'group'",
    'create index namespaces_archived on namespaces (id) where archived = 1',
    'create index namespaces_marked on namespaces (marked_for_deletion_at) where marked_for_deletion_at is not null',

    // The ancestors of each namespace, including itself at depth 0, so that inheritance takes one join at any nesting
    // level.
    `create table namespace_ancestors (
      namespace_id bigint not null references namespaces (id) on delete cascade,
      ancestor_id bigint not null references namespaces (id) on delete cascade,
      depth integer not null,
      primary key (namespace_id, ancestor_id)
    )`,
    'create index namespace_ancestors_descendants on namespace_ancestors (ancestor_id, namespace_id)',

    `create table projects (
      id ${id},
      namespace_id bigint not null references namespaces (id),
      creator_id bigint references users (id) on delete set null,
      name ${text} not null,
      path ${text} not null,
      description text,
      visibility integer not null default 0,
      default_branch text,
      empty_repo integer not null default 1,
      archived integer not null default 0,
      avatar text,
      topics text not null default '[]',
      issues_access integer not null default 20,
      merge_requests_access integer not null default 20,
      repository_access integer not null default 20,
      settings text not null default '{}',
      runners_token text,
      star_count bigint not null default 0,
      forks_count bigint not null default 0,
      forked_from_id bigint references projects (id) on delete set null,
      fork_root_id bigint,
      repository_storage text not null default 'default',
      repository_size bigint not null default 0,
      lfs_objects_size bigint not null default 0,
      uploads_size bigint not null default 0,
      commit_count bigint not null default 0,
      readme_path text,
      languages_commit text,
      housekeeping_since bigint,
      import_status text not null default 'none',
      import_type text,
      import_url text,
      import_error text,
      marked_for_deletion_at bigint,
      marked_by_id bigint,
      last_activity_at bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index projects_namespace on projects (namespace_id, id)',
    // Project lists walk one of these indexes for each visibility that the caller can see, and merge the results. Each
    // contains the namespace, so that inaccessible projects are skipped without reading their rows; the first one also
    // has the most common filter columns and is used for counting.
    `create index projects_visibility on projects
      (visibility, id, namespace_id, archived, marked_for_deletion_at, issues_access, merge_requests_access)`,
    'create index projects_updated on projects (visibility, updated_at, id, namespace_id)',
    'create index projects_activity on projects (visibility, last_activity_at, id, namespace_id)',
    'create index projects_name on projects (visibility, name, id, namespace_id)',
    'create index projects_path on projects (visibility, path, id, namespace_id)',
    'create index projects_stars on projects (visibility, star_count, id, namespace_id)',
    'create index projects_repository_size on projects (visibility, repository_size, id)',
    `create index projects_storage_size on projects
      (visibility, (repository_size + lfs_objects_size + uploads_size), id)`,
    'create index projects_creator on projects (creator_id, id)',
    'create index projects_forked_from on projects (forked_from_id, id) where forked_from_id is not null',
    'create index projects_fork_root on projects (fork_root_id, id) where fork_root_id is not null',
    'create index projects_marked on projects (marked_for_deletion_at) where marked_for_deletion_at is not null',
    'create unique index projects_namespace_name on projects (namespace_id, name)',

    // Paths of groups, users and projects alike, so that one unique key covers all of them; rows with redirect = 1 are
    // former paths.
    `create table routes (
      path ${text} primary key,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      redirect integer not null default 0
    )`,
    'create index routes_namespace on routes (namespace_id) where namespace_id is not null',
    'create index routes_project on routes (project_id) where project_id is not null',

    `create table members (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      access_level integer not null,
      expires_at bigint,
      created_by_id bigint references users (id) on delete set null,
      created_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index members_namespace on members (namespace_id, user_id) where namespace_id is not null',
    'create unique index members_project on members (project_id, user_id) where project_id is not null',
    'create index members_user on members (user_id, namespace_id, project_id)',
    'create index members_expiry on members (expires_at) where expires_at is not null',

    // An e-mail invitation waits until a user confirms the address.
    `create table member_invitations (
      id ${id},
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      email text not null,
      token text not null,
      access_level integer not null,
      expires_at bigint,
      created_by_id bigint references users (id) on delete set null,
      created_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index member_invitations_namespace on member_invitations (namespace_id, email) where namespace_id is not null',
    'create unique index member_invitations_project on member_invitations (project_id, email) where project_id is not null',
    'create index member_invitations_email on member_invitations (email)',

    `create table access_requests (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      requested_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index access_requests_namespace on access_requests (namespace_id, user_id) where namespace_id is not null',
    'create unique index access_requests_project on access_requests (project_id, user_id) where project_id is not null',
    'create index access_requests_user on access_requests (user_id)',

    `create table group_shares (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      with_namespace_id bigint not null references namespaces (id) on delete cascade,
      access_level integer not null,
      expires_at bigint,
      created_at bigint not null
    )`,
    'create unique index group_shares_pair on group_shares (namespace_id, with_namespace_id)',
    'create index group_shares_with on group_shares (with_namespace_id, namespace_id)',

    `create table project_shares (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      with_namespace_id bigint not null references namespaces (id) on delete cascade,
      access_level integer not null,
      expires_at bigint,
      created_at bigint not null
    )`,
    'create unique index project_shares_pair on project_shares (project_id, with_namespace_id)',
    'create index project_shares_with on project_shares (with_namespace_id, project_id)',

    `create table stars (
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      created_at bigint not null,
      primary key (user_id, project_id)
    )`,
    'create index stars_project on stars (project_id, created_at)',

    `create table topics (
      id ${id},
      name ${text} not null,
      title ${text},
      description text,
      avatar text,
      total_projects_count bigint not null default 0,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index topics_name on topics (lower(name))',
    'create index topics_count on topics (total_projects_count, id)',

    `create table project_topics (
      project_id bigint not null references projects (id) on delete cascade,
      topic_id bigint not null references topics (id) on delete cascade,
      primary key (project_id, topic_id)
    )`,
    'create index project_topics_topic on project_topics (topic_id, project_id)',

    `create table project_languages (
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      bytes bigint not null,
      primary key (project_id, name)
    )`,
    'create index project_languages_name on project_languages (lower(name), project_id)',

    // One row per day and project: the number of fetches and clones.
    `create table project_fetches (
      project_id bigint not null references projects (id) on delete cascade,
      day bigint not null,
      count bigint not null,
      primary key (project_id, day)
    )`,

    // Rows outlive their project: the files are deleted first, in the background.
    `create table uploads (
      id ${id},
      project_id bigint references projects (id) on delete set null,
      secret text not null,
      filename ${text} not null,
      storage_key text not null,
      content_type text not null,
      size bigint not null,
      uploaded_by_id bigint references users (id) on delete set null,
      created_at bigint not null
    )`,
    'create unique index uploads_secret on uploads (secret)',
    'create index uploads_project on uploads (project_id, id)',
  ],
};
