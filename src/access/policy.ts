import { Role, Visibility } from './roles.ts';

/** A part of a project that can be switched off or kept to its members. */
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

/** Who has an ability: the least role of a member, and whether people without a role have it where they can see. */
export interface AbilityRule {
  readonly least: number;
  /** The least role where the subject is private, when it differs. */
  readonly leastPrivate?: number;
  /** Planners have it too, though their number is below the least role. */
  readonly planner?: boolean;
  /** Signed-in people without a role, on public and internal subjects. */
  readonly outsider?: boolean;
  /** Anyone at all, on public subjects. */
  readonly anonymous?: boolean;
  /** Changes nothing: auditors have it, and it stays when the subject is archived. */
  readonly reads?: boolean;
  /** Settings and membership stay open on an archived subject; everything else that writes is closed. */
  readonly whenArchived?: boolean;
  readonly feature?: Feature;
}

const { guest, planner, reporter, developer, maintainer, owner, admin } = Role;
const everyone = { outsider: true, anonymous: true, reads: true } as const;
const settings = { whenArchived: true } as const;

/** What people may do in a project: one line an ability. */
export const projectAbilities = {
  read_project: { least: guest, ...everyone },
  read_member: { least: guest, ...everyone },
  read_label: { least: guest, ...everyone },
  read_event: { least: guest, ...everyone },
  read_code: { least: guest, leastPrivate: reporter, planner: true, ...everyone, feature: 'repository' },
  read_issue: { least: guest, ...everyone, feature: 'issues' },
  /** Where neither issues nor merge requests are switched on, there are none: see planning/milestones. */
  read_milestone: { least: guest, ...everyone },
  read_issue_board: { least: guest, ...everyone, feature: 'issues' },
  read_iteration: { least: guest, ...everyone, feature: 'issues' },
  read_confidential_issue: { least: reporter, planner: true, reads: true, feature: 'issues' },
  read_merge_request: { least: guest, leastPrivate: reporter, planner: true, ...everyone, feature: 'merge_requests' },
  read_snippet: { least: guest, ...everyone, feature: 'snippets' },
  read_wiki: { least: guest, ...everyone, feature: 'wiki' },
  read_release: { least: guest, ...everyone, feature: 'releases' },
  read_commit_status: { least: guest, ...everyone, feature: 'builds' },
  /** Where the project keeps its jobs to its members, Reporters and above: see ci/pipelines/gate.ts. */
  read_pipeline: { least: guest, ...everyone, feature: 'builds' },
  read_statistics: { least: reporter, reads: true },
  read_delivery_metrics: { least: reporter, reads: true, feature: 'analytics' },
  star_project: { least: guest, outsider: true, whenArchived: true },
  fork_project: { least: guest, leastPrivate: reporter, outsider: true, whenArchived: true, feature: 'forking' },
  request_access: { least: guest, outsider: true },
  create_note: { least: guest, outsider: true },
  read_internal_note: { least: reporter, planner: true, reads: true },
  /** To change and delete what others wrote. */
  admin_note: { least: maintainer },
  upload_file: { least: guest, outsider: true },
  admin_label: { least: reporter, planner: true },
  admin_milestone: { least: reporter, planner: true },
  admin_issue_board: { least: reporter, planner: true, feature: 'issues' },
  create_issue: { least: guest, outsider: true, feature: 'issues' },
  /** To change any issue, and what is set on it; its author and assignees may change its text and state too. */
  admin_issue: { least: reporter, planner: true, feature: 'issues' },
  /** To set on an issue, when opening it, what it is planned by: its labels, milestone, assignees and dates. */
  set_new_issue_metadata: { least: guest, feature: 'issues' },
  /** To open incidents, and to change those of others. */
  admin_incident: { least: reporter, feature: 'issues' },
  destroy_issue: { least: owner, planner: true, feature: 'issues' },
  create_snippet: { least: reporter, feature: 'snippets' },
  /** To change and delete the snippets of others. */
  admin_snippet: { least: maintainer, feature: 'snippets' },
  create_merge_request_in: { least: guest, leastPrivate: reporter, outsider: true, feature: 'merge_requests' },
  /** To change any merge request, and what is set on it; its author and assignees may change its text and state too. */
  admin_merge_request: { least: developer, feature: 'merge_requests' },
  destroy_merge_request: { least: owner, feature: 'merge_requests' },
  create_wiki: { least: developer, feature: 'wiki' },
  admin_wiki: { least: maintainer, feature: 'wiki' },
  push_code: { least: developer, feature: 'repository' },
  create_commit_status: { least: developer, feature: 'builds' },
  create_pipeline: { least: developer, feature: 'builds' },
  /** To retry, cancel and play; on a protected ref its rules decide too. */
  update_pipeline: { least: developer, feature: 'builds' },
  /** To see what was set for pipelines of others, erase their jobs, and end jobs at once. */
  admin_pipeline: { least: maintainer, feature: 'builds' },
  destroy_pipeline: { least: owner, feature: 'builds' },
  admin_variable: { least: maintainer, ...settings },
  read_freeze_period: { least: reporter, reads: true },
  admin_freeze_period: { least: maintainer },
  read_terraform_state: { least: developer, reads: true, feature: 'infrastructure' },
  /** To lock and unlock states, and to write and delete them. */
  admin_terraform_state: { least: maintainer, feature: 'infrastructure' },
  read_secure_file: { least: developer, reads: true, feature: 'builds' },
  admin_secure_file: { least: maintainer, feature: 'builds' },
  read_environment: { least: reporter, outsider: true, reads: true, feature: 'environments' },
  /** To create, change, stop and delete environments, and to record deployments. */
  update_environment: { least: developer, feature: 'environments' },
  admin_protected_environment: { least: maintainer, feature: 'environments' },
  read_package: { least: guest, leastPrivate: reporter, ...everyone, feature: 'package_registry' },
  create_package: { least: developer, feature: 'package_registry' },
  destroy_package: { least: maintainer, feature: 'package_registry' },
  read_container_image: { least: guest, leastPrivate: reporter, ...everyone, feature: 'container_registry' },
  create_container_image: { least: developer, feature: 'container_registry' },
  destroy_container_image: { least: developer, feature: 'container_registry' },
  /** To delete repositories and many tags at once, and to keep rules on who may. */
  admin_container_image: { least: maintainer, feature: 'container_registry' },
  read_feature_flag: { least: developer, reads: true, feature: 'feature_flags' },
  admin_feature_flag: { least: developer, feature: 'feature_flags' },
  /** To see and replace what applications show to read the flags. */
  admin_feature_flags_client: { least: maintainer, feature: 'feature_flags' },
  /** Whether the sites that a project publishes are shown is decided by their own setting: see ci/pages. */
  read_pages: { least: maintainer, reads: true },
  admin_pages: { least: maintainer, ...settings },
  admin_release: { least: developer, feature: 'releases' },
  admin_project: { least: maintainer, ...settings },
  read_security_settings: { least: developer, reads: true },
  admin_member: { least: maintainer, ...settings },
  admin_protected_ref: { least: maintainer, feature: 'repository' },
  admin_push_rule: { least: maintainer, ...settings },
  admin_remote_mirror: { least: maintainer, ...settings },
  export_project: { least: maintainer, ...settings },
  admin_deploy_key: { least: maintainer, ...settings },
  admin_deploy_token: { least: maintainer, ...settings },
  admin_access_token: { least: maintainer, ...settings },
  admin_service_account: { least: maintainer, ...settings },
  admin_hook: { least: maintainer, ...settings },
  admin_integrations: { least: maintainer, ...settings },
  read_audit_event: { least: maintainer, reads: true },
  read_runner: { least: maintainer, reads: true },
  admin_runner: { least: maintainer, ...settings },
  read_error_tracking: { least: reporter, reads: true, feature: 'monitor' },
  update_error_tracking: { least: developer, feature: 'monitor' },
  admin_error_tracking: { least: maintainer, ...settings },
  housekeep: { least: maintainer, ...settings },
  change_visibility: { least: owner, ...settings },
  share_project: { least: owner, ...settings },
  link_fork: { least: owner, ...settings },
  archive_project: { least: owner, ...settings },
  transfer_project: { least: owner },
  remove_project: { least: owner, ...settings },
  read_storage: { least: admin, ...settings },
  admin_custom_attribute: { least: admin, ...settings },
} as const satisfies Record<string, AbilityRule>;

/** What people may do in a group. */
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
  /** To put issues and other epics into an epic, and to take them out. */
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
  /** Its own setting may close a group's wiki, or keep it to members: see planning/wikis. */
  read_wiki: { least: guest, ...everyone },
  create_wiki: { least: developer },
  admin_wiki: { least: maintainer },
  read_delivery_metrics: { least: reporter, reads: true },
  read_deploy_token: { least: maintainer, reads: true },
  /** To pull images through the group, which keeps them: what is kept takes space, so nobody does from outside. */
  read_dependency_proxy: { least: guest, reads: true },
  admin_dependency_proxy: { least: owner, ...settings },
  import_project: { least: maintainer },
  /** The least role is the group's own setting: see creation-levels.ts. */
  create_project: { least: developer },
  create_subgroup: { least: maintainer },
  admin_protected_environment: { least: maintainer },
  admin_security_settings: { least: maintainer, ...settings },
  admin_group: { least: owner, ...settings },
  admin_member: { least: owner, ...settings },
  admin_ldap_group_link: { least: owner, ...settings },
  admin_deploy_token: { least: owner, ...settings },
  admin_access_token: { least: owner, ...settings },
  read_provisioned_user: { least: maintainer, reads: true },
  admin_service_account: { least: owner, ...settings },
  admin_variable: { least: owner, ...settings },
  admin_hook: { least: owner, ...settings },
  admin_integrations: { least: owner, ...settings },
  read_audit_event: { least: owner, reads: true },
  read_runner: { least: maintainer, reads: true },
  admin_runner: { least: owner, ...settings },
  archive_group: { least: owner, ...settings },
  transfer_group: { least: owner },
  remove_group: { least: owner, ...settings },
  request_access: { least: guest, outsider: true },
  admin_custom_attribute: { least: admin, ...settings },
} as const satisfies Record<string, AbilityRule>;

export type ProjectAbility = keyof typeof projectAbilities;
export type GroupAbility = keyof typeof groupAbilities;

/** How someone stands towards a subject. */
export interface Standing {
  /** The highest role they hold there; 0 for none. */
  readonly level: number;
  readonly signedIn: boolean;
  readonly external: boolean;
  readonly admin: boolean;
  readonly auditor: boolean;
}

/** What of the subject matters to a decision. */
export interface SubjectState {
  readonly visibility: number;
  readonly archived: boolean;
  /** 0 switched off, 10 members only, 20 whoever sees the subject. */
  featureLevel(feature: Feature): number;
}

/** Can they see a subject of this visibility without any role in it? */
export function seesWithoutRole(standing: Standing, visibility: number): 'anonymous' | 'outsider' | undefined {
  if (standing.signedIn && !standing.external && visibility >= Visibility.internal) return 'outsider';
  if (visibility < Visibility.public) return undefined;
  return standing.signedIn ? 'outsider' : 'anonymous';
}

/** The one decision: API, raw files, git, LFS and jobs all ask here. */
export function allows(rule: AbilityRule, standing: Standing, subject: SubjectState): boolean {
  const feature = rule.feature === undefined ? 20 : subject.featureLevel(rule.feature);
  if (feature === 0) return false;
  if (subject.archived && !rule.reads && !rule.whenArchived) return false;
  if (standing.admin || (standing.auditor && rule.reads)) return true;
  if (holds(rule, standing.level, subject.visibility, feature)) return true;
  if (feature < 20) return false;
  const seen = seesWithoutRole(standing, subject.visibility);
  return seen === 'outsider' ? rule.outsider === true : seen === 'anonymous' && rule.anonymous === true;
}

function holds(rule: AbilityRule, level: number, visibility: number, feature: number): boolean {
  // A feature kept to members is, for them, as on a private subject.
  const guarded = visibility === Visibility.private || feature < 20;
  const least = guarded ? (rule.leastPrivate ?? rule.least) : rule.least;
  return level >= least || (rule.planner === true && level === planner);
}
