import { Role } from './roles.ts';

/** A permission that a custom role can add to its base role. */
export interface PermissionDefinition {
  /** What the pages call it. */
  readonly title: string;
  readonly description: string;
  /** A permission without which this one is refused, unless the base role includes it. */
  readonly requires?: string;
  /** For permissions of features that Hearth does not have: the lowest default role that would include it. */
  readonly withoutFeature?: number;
}

const { reporter, developer, maintainer, owner } = Role;

/**
 * The permissions of custom roles, with the names of the API. `policy.ts` lists which abilities each of them grants;
 * those `withoutFeature` are stored and returned, and grant nothing.
 */
export const customPermissions = {
  admin_cicd_variables: {
    title: 'Manage CI/CD variables',
    description: 'Create, read, update and delete CI/CD variables',
  },
  admin_compliance_framework: {
    title: 'Manage compliance frameworks',
    description: 'Manage and assign compliance frameworks',
    withoutFeature: owner,
  },
  admin_group_member: {
    title: 'Manage group members',
    description: 'Add, change and remove members of a group, up to the base role and the permissions of this role',
  },
  admin_integrations: { title: 'Manage integrations', description: 'Manage integrations with external applications' },
  admin_merge_request: { title: 'Approve merge requests', description: 'Read, update and approve merge requests' },
  admin_protected_branch: { title: 'Manage protected branches', description: 'Manage protected branches' },
  admin_protected_environments: {
    title: 'Manage protected environments',
    description: 'Manage protected environments',
  },
  admin_push_rules: { title: 'Manage push rules', description: 'Configure push rules of projects and groups' },
  admin_runners: { title: 'Manage runners', description: 'Create, view, edit and delete runners' },
  admin_security_attributes: {
    title: 'Manage security attributes',
    description: 'Manage security attributes',
    withoutFeature: maintainer,
  },
  admin_security_testing: {
    title: 'Manage security testing',
    description: 'Configure security testing',
    withoutFeature: maintainer,
  },
  admin_terraform_state: {
    title: 'Manage Terraform state',
    description: 'Read, write, lock and delete Terraform states',
  },
  admin_vulnerability: {
    title: 'Manage vulnerabilities',
    description: 'Change vulnerabilities',
    requires: 'read_vulnerability',
    withoutFeature: maintainer,
  },
  admin_web_hook: { title: 'Manage webhooks', description: 'Manage webhooks' },
  apply_security_scan_profiles: {
    title: 'Apply security scan profiles',
    description: 'Apply security scan profiles',
    withoutFeature: maintainer,
  },
  archive_project: { title: 'Archive projects', description: 'Archive and unarchive projects' },
  manage_deploy_tokens: { title: 'Manage deploy tokens', description: 'Manage deploy tokens' },
  manage_group_access_tokens: {
    title: 'Manage group access tokens',
    description: 'Manage group access tokens, up to the base role',
  },
  manage_merge_request_settings: {
    title: 'Manage merge request settings',
    description: 'Manage approval rules, approval settings and merge checks',
  },
  manage_project_access_tokens: {
    title: 'Manage project access tokens',
    description: 'Manage project access tokens, up to the base role',
  },
  manage_protected_tags: { title: 'Manage protected tags', description: 'Manage protected tags' },
  manage_security_policy_link: {
    title: 'Link security policy projects',
    description: 'Link security policy projects',
    withoutFeature: owner,
  },
  read_code: { title: 'View repository code', description: 'Read, clone and download repositories' },
  read_compliance_dashboard: {
    title: 'View compliance dashboard',
    description: 'View the compliance dashboard',
    withoutFeature: owner,
  },
  read_crm_contact: { title: 'View CRM contacts', description: 'View CRM contacts', withoutFeature: reporter },
  read_dependency: { title: 'View dependency list', description: 'View dependencies', withoutFeature: developer },
  read_runners: { title: 'View runners', description: 'View runners' },
  read_security_attribute: {
    title: 'View security attributes',
    description: 'View security attributes',
    withoutFeature: developer,
  },
  read_security_scan_profiles: {
    title: 'View security scan profiles',
    description: 'View security scan profiles',
    withoutFeature: developer,
  },
  read_vulnerability: {
    title: 'View vulnerabilities',
    description: 'View vulnerability reports',
    withoutFeature: developer,
  },
  remove_group: { title: 'Delete groups', description: 'Delete and restore subgroups, but no top-level group' },
  remove_project: { title: 'Delete projects', description: 'Delete and restore projects' },
} as const satisfies Record<string, PermissionDefinition>;

export type CustomPermission = keyof typeof customPermissions;

export const isCustomPermission = (name: string): name is CustomPermission => Object.hasOwn(customPermissions, name);

export const permissionNames = Object.keys(customPermissions).filter(isCustomPermission);

export const noPermissions: ReadonlySet<CustomPermission> = new Set();

/** An object with a value for each permission. */
export function byPermission<T>(of: (permission: CustomPermission) => T): Record<CustomPermission, T> {
  return Object.fromEntries(permissionNames.map((name) => [name, of(name)])) as Record<CustomPermission, T>;
}
