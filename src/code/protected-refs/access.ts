import { Role } from '../../access/roles.ts';
import type { ProtectionDefaults } from '../../namespaces/groups/public.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import { protects } from './defaults.ts';
import type { GrantAction } from './tables.ts';

/** Who a rule lets do something. */
export interface Grant {
  readonly action: GrantAction;
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id: number | null;
}

/** A rule over branches or tags, with everything it grants. */
export interface RefRule {
  readonly name: string;
  readonly allowForcePush: boolean;
  /** What has code owners is changed by merge requests that they approve. */
  readonly codeOwners: boolean;
  readonly grants: readonly Grant[];
}

/** The one who pushes, as rules see them. */
export interface Pusher {
  /** May push to what no rule guards. */
  readonly mayPush: boolean;
  /** May move and delete tags: a developer, or a deploy key whose owner is one. */
  readonly mayChangeTags: boolean;
  readonly level: number;
  readonly admin: boolean;
  readonly userId: number | null;
  /** The groups in which they hold at least the role of a developer. */
  readonly groupIds: ReadonlySet<number>;
  readonly deployKeyId: number | null;
}

/** Does a grant include this pusher? A deploy key is let in by its own name alone, never by its owner's role. */
export function includes(grant: Grant, pusher: Pusher): boolean {
  if (grant.deploy_key_id !== null) return grant.deploy_key_id === pusher.deployKeyId;
  if (pusher.deployKeyId !== null || pusher.userId === null) return false;
  if (grant.user_id !== null) return grant.user_id === pusher.userId;
  if (grant.group_id !== null) return pusher.groupIds.has(grant.group_id);
  // "No one" means administrators as well.
  if (grant.access_level === null || grant.access_level === Role.none) return false;
  if (pusher.admin) return true;
  return grant.access_level < Role.admin && pusher.level >= grant.access_level;
}

function granted(rules: readonly RefRule[], action: GrantAction, pusher: Pusher): boolean {
  return rules.some((rule) => rule.grants.some((grant) => grant.action === action && includes(grant, pusher)));
}

/** What one pusher may do to the branches of a project. Where several rules match a name, the most permissive wins. */
export class BranchAccess {
  readonly #rules: readonly RefRule[];
  readonly #pusher: Pusher;
  readonly #empty: ProtectionDefaults | undefined;

  /** `empty` are the defaults that will guard the default branch, while the repository has none. */
  constructor(rules: readonly RefRule[], pusher: Pusher, empty?: ProtectionDefaults) {
    this.#rules = rules;
    this.#pusher = pusher;
    this.#empty = empty !== undefined && protects(empty) ? empty : undefined;
  }

  /** May push to what no rule guards. */
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

  /** Does a rule name exactly the developers for this? False for what no rule guards. */
  namesDevelopers(action: 'push' | 'merge', branch: string): boolean {
    return this.#matching(branch).some((rule) =>
      rule.grants.some((grant) => grant.action === action && grant.access_level === Role.developer),
    );
  }

  #matching(branch: string): readonly RefRule[] {
    return this.#rules.filter((rule) => matchesWildcard(rule.name, branch));
  }

  #canPushFirst(defaults: ProtectionDefaults): boolean {
    const levels = defaults.developer_can_initial_push
      ? [Role.developer]
      : defaults.allowed_to_push.map((element) => element.access_level);
    const grants = levels.map((access_level) => ({ ...nobody, action: 'push' as const, access_level }));
    return grants.some((grant) => includes(grant, this.#pusher));
  }
}

const nobody = { access_level: null, user_id: null, group_id: null, deploy_key_id: null };

/** What one pusher may do to the tags of a project. */
export class TagAccess {
  readonly #rules: readonly RefRule[];
  readonly #pusher: Pusher;

  constructor(rules: readonly RefRule[], pusher: Pusher) {
    this.#rules = rules;
    this.#pusher = pusher;
  }

  /** May move or delete tags that no rule guards. */
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

  /** Protected tags are deleted by maintainers. */
  canDelete(tag: string): boolean {
    if (!this.#pusher.mayPush) return false;
    return !this.isProtected(tag) || this.#pusher.admin || this.#pusher.level >= Role.maintainer;
  }

  #matching(tag: string): readonly RefRule[] {
    return this.#rules.filter((rule) => matchesWildcard(rule.name, tag));
  }
}
