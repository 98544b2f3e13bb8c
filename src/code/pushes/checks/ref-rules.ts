import { isBranchName, isTagName, looksLikeObjectId } from '../../../platform/git/refs/refname.ts';
import type { BranchAccess, TagAccess } from '../../protected-refs/public.ts';
import type { PushRequest, RefChange } from '../push.ts';

/** The inputs of the branch rules. */
export interface BranchFacts {
  readonly access: Pick<BranchAccess, 'isProtected' | 'canPush' | 'canMerge' | 'allowsForcePush'>;
  readonly defaultBranch: string | null;
  readonly emptyRepository: boolean;
  readonly protocol: PushRequest['protocol'];
  readonly purpose: PushRequest['purpose'];
  /** Whether the update drops commits. Only computed for protected branches. */
  readonly forced: boolean;
  /** Whether the new tip is already on a protected branch. Only computed when needed. */
  readonly onProtectedBranch: boolean;
}

// Invalid UTF-8 was decoded to this character; the ref could not be found under the decoded name.
const isText = (name: string) => !name.includes('\u{fffd}');

export const defaultBranchRemoved = 'The default branch of a project cannot be deleted.';

/** Returns why a branch update is rejected; undefined if it is allowed. */
export function branchProblem(change: RefChange, name: string, facts: BranchFacts): string | undefined {
  if (change.new !== null) {
    if (looksLikeObjectId(name)) return 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
    if (!isBranchName(name) || !isText(name)) return 'You cannot create a branch with an invalid name.';
  } else if (name === facts.defaultBranch) return defaultBranchRemoved;
  if (!facts.access.isProtected(name)) return undefined;
  if (facts.forced && !facts.access.allowsForcePush(name)) {
    return 'You are not allowed to force push code to a protected branch on this project.';
  }
  if (facts.emptyRepository) return protectedPush(name, facts);
  if (change.new === null) {
    return (
      'You are not allowed to delete protected branches from this project. ' +
      'Only a project maintainer or owner can delete a protected branch.'
    );
  }
  return change.old === null ? protectedCreation(name, facts) : protectedPush(name, facts);
}

function protectedPush(name: string, { access, purpose }: BranchFacts): string | undefined {
  if (purpose === 'merge') {
    if (access.canMerge(name)) return undefined;
    return 'You are not allowed to merge code into protected branches on this project.';
  }
  return access.canPush(name) ? undefined : 'You are not allowed to push code to protected branches on this project.';
}

function protectedCreation(name: string, { access, protocol, onProtectedBranch }: BranchFacts): string | undefined {
  if (access.canPush(name)) return undefined;
  if (!access.canMerge(name)) return 'You are not allowed to create protected branches on this project.';
  if (!onProtectedBranch) {
    return 'You can only use an existing protected branch ref as the basis of a new protected branch.';
  }
  return protocol === 'web' ? undefined : 'You can only create protected branches using the web interface and API.';
}

/** The inputs of the tag rules. */
export interface TagFacts {
  readonly access: Pick<TagAccess, 'isProtected' | 'mayChange' | 'canCreate' | 'canDelete'>;
  readonly defaultBranch: string | null;
  readonly protocol: PushRequest['protocol'];
  readonly denyDelete: boolean;
}

/** Returns why a tag update is rejected; undefined if it is allowed. */
export function tagProblem(change: RefChange, name: string, facts: TagFacts): string | undefined {
  if (change.old !== null && !facts.access.mayChange) {
    return 'You are not allowed to change existing tags on this project.';
  }
  const guarded = facts.access.isProtected(name);
  if (change.new === null) return guarded ? protectedTagDeletion(name, facts) : deniedDeletion(facts);
  if (change.old !== null) return guarded ? 'Protected tags cannot be updated.' : undefined;
  if (name === facts.defaultBranch) return 'You cannot use default branch name to create a tag';
  return tagNameProblem(name) ?? (guarded ? protectedTagCreation(name, facts) : undefined);
}

function tagNameProblem(name: string): string | undefined {
  if (!isText(name)) return 'Tag names must be valid when converted to UTF-8 encoding';
  if (!isTagName(name) || name.startsWith('refs/tags/')) return 'You cannot create a tag with a prohibited pattern.';
  return looksLikeObjectId(name) ? 'You cannot create a tag with a SHA-1 or SHA-256 tag name.' : undefined;
}

function protectedTagCreation(name: string, { access }: TagFacts): string | undefined {
  return access.canCreate(name) ? undefined : 'You are not allowed to create this tag as it is protected.';
}

function protectedTagDeletion(name: string, facts: TagFacts): string | undefined {
  if (!facts.access.canDelete(name)) {
    return (
      'You are not allowed to delete protected tags from this project. ' +
      'Only a project maintainer or owner can delete a protected tag.'
    );
  }
  return facts.protocol === 'web' ? undefined : 'You can only delete protected tags using the web interface.';
}

function deniedDeletion({ denyDelete, protocol }: TagFacts): string | undefined {
  return denyDelete && protocol !== 'web' ? 'You cannot delete a tag' : undefined;
}
