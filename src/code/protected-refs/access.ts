import type { ProtectionDefaults } from '../../access/namespaces/branch-protection.ts';
import { Role } from '../../access/roles.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import { protectsAnything } from './defaults.ts';
import type { GrantAction } from './tables.ts';

/** Grants an action to a role, user, group or deploy key. */
export interface Grant {
  readonly action: GrantAction;
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id: number | null;
}

/** A protection rule for branches or tags with its grants. */
export interface RefRule {
  readonly name: string;
  readonly allowForcePush: boolean;
  /** Whether changes to owned files require a merge request approved by the code owners. */
  readonly codeOwners: boolean;
  readonly grants: readonly Grant[];
}

/** The actor's identity and roles as needed by protection rules. */
export interface Pusher {
  /** Whether the actor may push to unprotected refs. */
  readonly mayPush: boolean;
  /** Whether the actor may move and delete tags: developers, and deploy keys owned by developers. */
  readonly mayChangeTags: boolean;
  readonly level: number;
  readonly admin: boolean;
  readonly userId: number | null;
  /** Groups in which the user has at least the Developer role. */
  readonly groupIds: ReadonlySet<number>;
  readonly deployKeyId: number | null;
}

/** Whether a grant applies to a pusher. Deploy keys only match grants that name them, never their owner's role. */
export function grantAppliesTo(grant: Grant, pusher: Pusher): boolean {
  if (grant.deploy_key_id !== null) return grant.deploy_key_id === pusher.deployKeyId;
  if (pusher.deployKeyId !== null || pusher.userId === null) return false;
  if (grant.user_id !== null) return grant.user_id === pusher.userId;
  if (grant.group_id !== null) return pusher.groupIds.has(grant.group_id);
  // "No one" excludes administrators, too.
  if (grant.access_level === null || grant.access_level === Role.none) return false;
  if (pusher.admin) return true;
  return grant.access_level < Role.admin && pusher.level >= grant.access_level;
}

function granted(rules: readonly RefRule[], action: GrantAction, pusher: Pusher): boolean {
  return rules.some((rule) => rule.grants.some((grant) => grant.action === action && grantAppliesTo(grant, pusher)));
}

/** A pusher's access to the branches of a project. If several rules match a branch, the most permissive wins. */
export class BranchAccess {
  readonly #rules: readonly RefRule[];
  readonly #pusher: Pusher;
  readonly #empty: ProtectionDefaults | undefined;

  /** `empty` holds the defaults that will protect the default branch of a still empty repository. */
  constructor(rules: readonly RefRule[], pusher: Pusher, empty?: ProtectionDefaults) {
    this.#rules = rules;
    this.#pusher = pusher;
    this.#empty = empty !== undefined && protectsAnything(empty) ? empty : undefined;
  }

  /** Whether the actor may push to unprotected branches. */
  get mayPush(): boolean {
    return this.#pusher.mayPush;
  }

  isProtected(branch: string): boolean {
    return this.#empty !== undefined || this.#matching(branch).length > 0;
  }

  canPush(branch: string): boolean {
    if (!this.#pusher.mayPush) return false;
    const rules = this.#matching(branch);
    if (rules.length > 0) return granted(rules, 'push', this.#pusher);
    return this.#empty === undefined || this.#canPushFirst(this.#empty);
  }

  canMerge(branch: string): boolean {
    if (!this.#pusher.mayPush) return false;
    const rules = this.#matching(branch);
    return rules.length === 0 || granted(rules, 'merge', this.#pusher) || granted(rules, 'push', this.#pusher);
  }

  allowsForcePush(branch: string): boolean {
    const rules = this.#matching(branch);
    return rules.length === 0 || rules.some((rule) => rule.allowForcePush);
  }

  /** Whether a rule grants the action exactly to the Developer role. False for unprotected branches. */
  namesDevelopers(action: 'push' | 'merge', branch: string): boolean {
    return this.#matching(branch).some((rule) =>
      rule.grants.some((grant) => grant.action === action && grant.access_level === Role.developer),
    );
  }

  #matching(branch: string): readonly RefRule[] {
    return this.#rules.filter((rule) => matchesWildcard(rule.name, branch));
  }

  /** Maintainers create the default branch whatever its future protection; otherwise nobody could under "no one". */
  #canPushFirst(defaults: ProtectionDefaults): boolean {
    const { admin, level, deployKeyId } = this.#pusher;
    if (deployKeyId === null && (admin || level >= Role.maintainer)) return true;
    const levels = defaults.developer_can_initial_push
      ? [Role.developer]
      : defaults.allowed_to_push.map((element) => element.access_level);
    const grants = levels.map((access_level) => ({ ...noHolder, action: 'push' as const, access_level }));
    return grants.some((grant) => grantAppliesTo(grant, this.#pusher));
  }
}

const noHolder = { access_level: null, user_id: null, group_id: null, deploy_key_id: null };

/** A pusher's access to the tags of a project. */
export class TagAccess {
  readonly #rules: readonly RefRule[];
  readonly #pusher: Pusher;

  constructor(rules: readonly RefRule[], pusher: Pusher) {
    this.#rules = rules;
    this.#pusher = pusher;
  }

  /** Whether the actor may move or delete unprotected tags. */
  get mayChange(): boolean {
    return this.#pusher.mayChangeTags;
  }

  isProtected(tag: string): boolean {
    return this.#matching(tag).length > 0;
  }

  canCreate(tag: string): boolean {
    if (!this.#pusher.mayPush) return false;
    const rules = this.#matching(tag);
    return rules.length === 0 || granted(rules, 'create', this.#pusher);
  }

  /** Protected tags may only be deleted by maintainers. */
  canDelete(tag: string): boolean {
    if (!this.#pusher.mayPush) return false;
    return !this.isProtected(tag) || this.#pusher.admin || this.#pusher.level >= Role.maintainer;
  }

  #matching(tag: string): readonly RefRule[] {
    return this.#rules.filter((rule) => matchesWildcard(rule.name, tag));
  }
}
