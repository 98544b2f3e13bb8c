import type { CustomPermission } from './custom-permissions.ts';
import { Role, Visibility } from './roles.ts';

/** A part of a project that can be disabled or restricted to members. */
export type Feature =
  | 'repository'
  | 'issues'
  | 'merge_requests'
  | 'builds'
  | 'environments'
  | 'releases'
  | 'package_registry'
  | 'container_registry'
  | 'feature_flags'
  | 'forking'
  | 'snippets'
  | 'wiki'
  | 'infrastructure'
  | 'monitor'
  | 'analytics';

/** Who has an ability: the lowest role that has it, and whether users without a role have it on visible subjects. */
export interface AbilityRule {
  readonly least: number;
  /** The lowest role on private subjects, if it differs. */
  readonly leastPrivate?: number;
  /** Planners have it too, although their level is below the lowest role. */
  readonly planner?: boolean;
  /** Signed-in users without a role, on public and internal subjects. */
  readonly outsider?: boolean;
  /** Everyone, on public subjects. */
  readonly anonymous?: boolean;
  /** Read-only: auditors have it, and it remains on archived subjects. */
  readonly reads?: boolean;
  /** Remains on archived subjects, as settings and membership do. */
  readonly whenArchived?: boolean;
  readonly feature?: Feature;
  /** Permissions of custom roles that grant it at any level. */
  readonly custom?: readonly CustomPermission[];
  /** Custom roles do not grant it on top-level groups. */
  readonly customBelowTop?: boolean;
}

const { guest, planner, reporter, developer, maintainer, owner, admin } = Role;
const everyone = { outsider: true, anonymous: true, reads: true } as const;
const settings = { whenArchived: true } as const;

/** Abilities in a project, one per line. */
export const projectAbilities = {
  read_project: { least: guest, ...everyone },
  read_member: { least: guest, ...everyone },
  read_label: { least: guest, ...everyone },
  read_event: { least: guest, ...everyone },
  read_code: {
    least: guest,
    leastPrivate: reporter,
    planner: true,
    ...everyone,
    feature: 'repository',
    custom: ['read_code'],
  },
  read_protected_branch: {
    least: guest,
    leastPrivate: reporter,
    planner: true,
    ...everyone,
    feature: 'repository',
    custom: ['read_code', 'admin_protected_branch'],
  },
  read_issue: { least: guest, ...everyone, feature: 'issues' },
  /** Requires issues or merge requests to be enabled: see planning/milestones. */
  read_milestone: { least: guest, ...everyone },
  read_issue_board: { least: guest, ...everyone, feature: 'issues' },
  read_iteration: { least: guest, ...everyone, feature: 'issues' },
  read_confidential_issue: { least: reporter, planner: true, reads: true, feature: 'issues' },
  read_merge_request: {
    least: guest,
    leastPrivate: reporter,
    planner: true,
    ...everyone,
    feature: 'merge_requests',
    custom: ['admin_merge_request'],
  },
  read_snippet: { least: guest, ...everyone, feature: 'snippets' },
  read_wiki: { least: guest, ...everyone, feature: 'wiki' },
  read_release: { least: guest, ...everyone, feature: 'releases' },
  read_commit_status: { least: guest, ...everyone, feature: 'builds' },
  /** Projects may restrict their jobs to members, Reporters and above: see ci/pipelines/gate.ts. */
  read_pipeline: { least: guest, ...everyone, feature: 'builds' },
  read_statistics: { least: reporter, reads: true },
  read_delivery_metrics: { least: reporter, reads: true, feature: 'analytics' },
  star_project: { least: guest, outsider: true, whenArchived: true },
  fork_project: { least: guest, leastPrivate: reporter, outsider: true, whenArchived: true, feature: 'forking' },
  request_access: { least: guest, outsider: true },
  create_note: { least: guest, outsider: true },
  read_internal_note: { least: reporter, planner: true, reads: true },
  /** Change and delete other users' notes. */
  admin_note: { least: maintainer },
  upload_file: { least: guest, outsider: true },
  admin_label: { least: reporter, planner: true },
  admin_milestone: { least: reporter, planner: true },
  admin_issue_board: { least: reporter, planner: true, feature: 'issues' },
  create_issue: { least: guest, outsider: true, feature: 'issues' },
  /** Change any issue and its metadata; authors and assignees may also change its text and state. */
  admin_issue: { least: reporter, planner: true, feature: 'issues' },
  /** Set labels, milestone, assignees and dates when opening an issue. */
  set_new_issue_metadata: { least: guest, feature: 'issues' },
  /** Open incidents, and change those of other users. */
  admin_incident: { least: reporter, feature: 'issues' },
  destroy_incident: { least: owner, feature: 'issues' },
  destroy_issue: { least: owner, planner: true, feature: 'issues' },
  create_snippet: { least: reporter, feature: 'snippets' },
  /** Change and delete the snippets of other users. */
  admin_snippet: { least: maintainer, feature: 'snippets' },
  create_merge_request_in: { least: guest, leastPrivate: reporter, outsider: true, feature: 'merge_requests' },
  /** Change any merge request and its metadata; authors and assignees may also change its text and state. */
  admin_merge_request: { least: developer, feature: 'merge_requests', custom: ['admin_merge_request'] },
  read_approval_rule: {
    least: developer,
    feature: 'merge_requests',
    custom: ['admin_merge_request', 'manage_merge_request_settings'],
  },
  /** Approval rules, approval settings, and the settings of merge requests in `PUT /projects/:id`. */
  manage_merge_request_settings: { least: maintainer, ...settings, custom: ['manage_merge_request_settings'] },
  destroy_merge_request: { least: owner, feature: 'merge_requests' },
  create_wiki: { least: developer, feature: 'wiki' },
  admin_wiki: { least: maintainer, feature: 'wiki' },
  push_code: { least: developer, feature: 'repository' },
  create_commit_status: { least: developer, feature: 'builds' },
  create_pipeline: { least: developer, feature: 'builds' },
  /** Retry, cancel and play; on a protected ref, its rules apply too. */
  update_pipeline: { least: developer, feature: 'builds' },
  /** See the variables of other users' pipelines, erase their jobs, and force-cancel jobs. */
  admin_pipeline: { least: maintainer, feature: 'builds' },
  destroy_pipeline: { least: owner, feature: 'builds' },
  admin_variable: { least: maintainer, ...settings, custom: ['admin_cicd_variables'] },
  read_freeze_period: { least: reporter, reads: true },
  admin_freeze_period: { least: maintainer },
  read_terraform_state: { least: developer, reads: true, feature: 'infrastructure', custom: ['admin_terraform_state'] },
  /** Lock and unlock states, write and delete them. */
  admin_terraform_state: { least: maintainer, feature: 'infrastructure', custom: ['admin_terraform_state'] },
  read_secure_file: { least: developer, reads: true, feature: 'builds' },
  admin_secure_file: { least: maintainer, feature: 'builds' },
  read_environment: { least: reporter, outsider: true, reads: true, feature: 'environments' },
  /** Create, change, stop and delete environments, and record deployments. */
  update_environment: { least: developer, feature: 'environments' },
  admin_protected_environment: { least: maintainer, feature: 'environments', custom: ['admin_protected_environments'] },
  read_package: { least: guest, leastPrivate: reporter, ...everyone, feature: 'package_registry' },
  create_package: { least: developer, feature: 'package_registry' },
  destroy_package: { least: maintainer, feature: 'package_registry' },
  read_container_image: { least: guest, leastPrivate: reporter, ...everyone, feature: 'container_registry' },
  create_container_image: { least: developer, feature: 'container_registry' },
  destroy_container_image: { least: developer, feature: 'container_registry' },
  /** Delete repositories, delete tags in bulk, and manage protection rules. */
  admin_container_image: { least: maintainer, feature: 'container_registry' },
  read_feature_flag: { least: developer, reads: true, feature: 'feature_flags' },
  admin_feature_flag: { least: developer, feature: 'feature_flags' },
  /** See and reset the token with which applications read flags. */
  admin_feature_flags_client: { least: maintainer, feature: 'feature_flags' },
  /** Access to published sites has its own setting: see ci/pages. */
  read_pages: { least: maintainer, reads: true },
  admin_pages: { least: maintainer, ...settings },
  admin_release: { least: developer, feature: 'releases' },
  admin_project: { least: maintainer, ...settings },
  read_security_settings: { least: developer, reads: true },
  admin_member: { least: maintainer, ...settings },
  admin_protected_branch: { least: maintainer, feature: 'repository', custom: ['admin_protected_branch'] },
  admin_protected_tag: { least: maintainer, feature: 'repository', custom: ['manage_protected_tags'] },
  admin_push_rule: { least: maintainer, ...settings, custom: ['admin_push_rules'] },
  admin_remote_mirror: { least: maintainer, ...settings },
  export_project: { least: maintainer, ...settings },
  admin_deploy_key: { least: maintainer, ...settings },
  admin_deploy_token: { least: maintainer, ...settings, custom: ['manage_deploy_tokens'] },
  admin_access_token: { least: maintainer, ...settings, custom: ['manage_project_access_tokens'] },
  admin_service_account: { least: maintainer, ...settings },
  admin_hook: { least: maintainer, ...settings, custom: ['admin_web_hook'] },
  admin_integrations: { least: maintainer, ...settings, custom: ['admin_integrations'] },
  read_audit_event: { least: maintainer, reads: true },
  read_runner: { least: maintainer, reads: true, custom: ['read_runners', 'admin_runners'] },
  admin_runner: { least: maintainer, ...settings, custom: ['admin_runners'] },
  read_error_tracking: { least: reporter, reads: true, feature: 'monitor' },
  update_error_tracking: { least: developer, feature: 'monitor' },
  admin_error_tracking: { least: maintainer, ...settings },
  housekeep: { least: maintainer, ...settings },
  change_visibility: { least: owner, ...settings },
  share_project: { least: owner, ...settings },
  link_fork: { least: owner, ...settings },
  archive_project: { least: owner, ...settings, custom: ['archive_project'] },
  transfer_project: { least: owner },
  remove_project: { least: owner, ...settings, custom: ['remove_project'] },
  read_storage: { least: admin, ...settings },
  admin_custom_attribute: { least: admin, ...settings },
} as const satisfies Record<string, AbilityRule>;

/** Abilities in a group, one per line. */
export const groupAbilities = {
  read_group: { least: Role.minimal, ...everyone },
  read_member: { least: guest, ...everyone },
  read_label: { least: guest, ...everyone },
  read_release: { least: guest, reads: true },
  read_iteration: { least: guest, ...everyone },
  admin_iteration_cadence: { least: reporter, planner: true },
  read_epic: { least: guest, ...everyone },
  read_confidential_epic: { least: reporter, planner: true, reads: true },
  create_epic: { least: reporter, planner: true },
  admin_epic: { least: reporter, planner: true },
  /** Add issues and epics to an epic, and remove them. */
  admin_epic_relation: { least: guest },
  destroy_epic: { least: owner, planner: true },
  read_epic_board: { least: guest, ...everyone },
  admin_epic_board: { least: reporter, planner: true },
  create_note: { least: guest, outsider: true },
  read_internal_note: { least: reporter, planner: true, reads: true },
  admin_note: { least: maintainer },
  read_upload: { least: guest, ...everyone },
  upload_file: { least: guest, outsider: true },
  admin_upload: { least: maintainer, ...settings },
  read_milestone: { least: guest, ...everyone },
  admin_milestone: { least: reporter, planner: true },
  read_issue_board: { least: guest, ...everyone },
  admin_issue_board: { least: reporter, planner: true },
  admin_label: { least: reporter, planner: true },
  /** A setting may disable a group's wiki or restrict it to members: see planning/wikis. */
  read_wiki: { least: guest, ...everyone },
  create_wiki: { least: developer },
  admin_wiki: { least: maintainer },
  read_delivery_metrics: { least: reporter, reads: true },
  read_deploy_token: { least: maintainer, reads: true, custom: ['manage_deploy_tokens'] },
  /** Pull images through the group. This stores them and uses space, so it is restricted to members. */
  read_dependency_proxy: { least: guest, reads: true },
  admin_dependency_proxy: { least: owner, ...settings },
  /** Distributions of Debian packages, whose indexes name the packages of every project in the group. */
  read_package: { least: guest, leastPrivate: reporter, ...everyone },
  create_package: { least: developer },
  destroy_package: { least: maintainer },
  import_project: { least: maintainer },
  /** The lowest role is the group's own setting: see creation-levels.ts. */
  create_project: { least: developer },
  create_subgroup: { least: maintainer },
  admin_protected_environment: { least: maintainer, custom: ['admin_protected_environments'] },
  admin_security_settings: { least: maintainer, ...settings },
  admin_group: { least: owner, ...settings },
  admin_member: { least: owner, ...settings, custom: ['admin_group_member'] },
  /** Ban members, and manage seats and memberships awaiting approval. */
  admin_billable_member: { least: owner, ...settings },
  /** Define custom roles. */
  admin_member_role: { least: owner, ...settings },
  admin_ldap_group_link: { least: owner, ...settings },
  admin_saml_group_link: { least: owner, ...settings },
  admin_deploy_token: { least: owner, ...settings, custom: ['manage_deploy_tokens'] },
  admin_access_token: { least: owner, ...settings, custom: ['manage_group_access_tokens'] },
  /** List and revoke the credentials of the group's enterprise users. */
  admin_credential: { least: owner, ...settings },
  admin_push_rule: { least: owner, ...settings, custom: ['admin_push_rules'] },
  admin_protected_branch: { least: owner, ...settings },
  manage_merge_request_settings: { least: owner, ...settings, custom: ['manage_merge_request_settings'] },
  read_provisioned_user: { least: maintainer, reads: true },
  admin_service_account: { least: owner, ...settings },
  admin_variable: { least: owner, ...settings, custom: ['admin_cicd_variables'] },
  admin_hook: { least: owner, ...settings, custom: ['admin_web_hook'] },
  admin_integrations: { least: owner, ...settings, custom: ['admin_integrations'] },
  read_audit_event: { least: owner, reads: true },
  read_runner: { least: maintainer, reads: true, custom: ['read_runners', 'admin_runners'] },
  admin_runner: { least: owner, ...settings, custom: ['admin_runners'] },
  archive_group: { least: owner, ...settings },
  transfer_group: { least: owner },
  remove_group: { least: owner, ...settings, custom: ['remove_group'], customBelowTop: true },
  request_access: { least: guest, outsider: true },
  admin_custom_attribute: { least: admin, ...settings },
} as const satisfies Record<string, AbilityRule>;

export type ProjectAbility = keyof typeof projectAbilities;
export type GroupAbility = keyof typeof groupAbilities;

/** The actor's relation to a subject. */
export interface Standing {
  /** The actor's highest role there; 0 for none. */
  readonly level: number;
  /** What the actor's custom roles add to that role. */
  readonly permissions: ReadonlySet<CustomPermission>;
  readonly signedIn: boolean;
  readonly external: boolean;
  readonly admin: boolean;
  readonly auditor: boolean;
}

/** The state of the subject that matters to a decision. */
export interface SubjectState {
  readonly visibility: number;
  readonly archived: boolean;
  /** A group without a parent. */
  readonly topLevel: boolean;
  /** 0 disabled, 10 members only, 20 everyone who can see the subject. */
  featureLevel(feature: Feature): number;
}

/** How an actor without a role can see a subject of this visibility, if at all. */
export function seesWithoutRole(standing: Standing, visibility: number): 'anonymous' | 'outsider' | undefined {
  if (standing.signedIn && !standing.external && visibility >= Visibility.internal) return 'outsider';
  if (visibility < Visibility.public) return undefined;
  return standing.signedIn ? 'outsider' : 'anonymous';
}

/** The only authorization function: used by the API, raw files, Git, LFS and jobs. */
export function allows(rule: AbilityRule, standing: Standing, subject: SubjectState): boolean {
  const feature = rule.feature === undefined ? 20 : subject.featureLevel(rule.feature);
  if (feature === 0) return false;
  if (subject.archived && !rule.reads && !rule.whenArchived) return false;
  if (standing.admin || (standing.auditor && rule.reads)) return true;
  if (holds(rule, standing.level, subject.visibility, feature)) return true;
  if (standing.permissions.size > 0 && holdsCustom(rule, standing, subject)) return true;
  if (feature < 20) return false;
  const seen = seesWithoutRole(standing, subject.visibility);
  return seen === 'outsider' ? rule.outsider === true : seen === 'anonymous' && rule.anonymous === true;
}

function holds(rule: AbilityRule, level: number, visibility: number, feature: number): boolean {
  // A members-only feature behaves as on a private subject.
  const guarded = visibility === Visibility.private || feature < 20;
  const least = guarded ? (rule.leastPrivate ?? rule.least) : rule.least;
  return level >= least || (rule.planner === true && level === planner);
}

function holdsCustom(
  { custom, customBelowTop }: AbilityRule,
  { permissions }: Standing,
  subject: SubjectState,
): boolean {
  if (custom === undefined || (customBelowTop === true && subject.topLevel)) return false;
  return custom.some((permission) => permissions.has(permission));
}
