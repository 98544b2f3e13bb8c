import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Actor, canReadEverything } from '../../../access/actor.ts';
import type { User } from '../../../access/tables.ts';
import { dayOrNull, instant, instantOrNull } from '../../../platform/http/schema.ts';
import { avatarUrl } from '../../avatars/public.ts';
import type { IdentityRow } from '../identities/store.ts';
import { blockedStates } from '../states/rules.ts';
import type { AdminUserEntity, BasicUserEntity, OwnUserEntity, UserProfileEntity } from './schema.ts';
import type { BasicUserRow, ProfileRow } from './store.ts';

/** Serializes the basic view. */
export function presentBasicUser(user: BasicUserRow, externalUrl: string): BasicUserEntity {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: isLocked(user),
    avatar_url: userAvatarUrl(user, externalUrl),
    web_url: `${externalUrl}/${user.username}`,
  };
}

/** Whether the account is temporarily locked after failed sign-ins. */
export function isLocked(user: { locked_until: number | null }, now = Date.now()): boolean {
  return user.locked_until !== null && user.locked_until > now;
}

/** Returns the URL of the uploaded avatar or of the Gravatar image. */
export function userAvatarUrl(user: Pick<User, 'id' | 'email' | 'avatar'>, externalUrl: string): string {
  return avatarUrl(externalUrl, 'user', user.id, user.avatar) ?? gravatarUrl(user.email);
}

/** A page of issues shows the authors and assignees of twenty: hashing their addresses took as long as two queries. */
const emailHashes = new LRUCache<string, string>({
  max: 10_000,
  memoMethod: (email) => hash('sha256', email.trim().toLowerCase()),
});

/** Returns the Gravatar URL for an e-mail address. */
export function gravatarUrl(email: string, size = 80): string {
  return `https://www.gravatar.com/avatar/${emailHashes.memo(email)}?s=${size}&d=identicon`;
}

/** Value of `commit_email` for the generated private address. */
export const privateEmail = '_private';

/** Whether the viewer may see the join date and follows of a user. */
export function readsProfile(actor: Actor, user: Pick<User, 'id' | 'private_profile' | 'state'>): boolean {
  if (canReadEverything(actor) || actor.user?.id === user.id) return true;
  return user.private_profile === 0 && !blockedStates.includes(user.state);
}

/** Serializes the profile visible to every signed-in user. */
export function presentProfile(user: ProfileRow, actor: Actor, externalUrl: string): UserProfileEntity {
  const { linkedin, twitter, discord, github } = user;
  return {
    ...presentBasicUser(user, externalUrl),
    bio: user.bio,
    location: user.location,
    linkedin,
    twitter,
    discord,
    website_url: user.website_url,
    github,
    social_a: linkedin,
    social_b: twitter,
    social_c: discord,
    social_d: github,
    job_title: user.job_title,
    pronouns: user.pronouns,
    organization: user.organization,
    bot: isBot(user),
    work_information: workInformation(user),
    local_time: localTime(user.timezone),
    ...(readsProfile(actor, user)
      ? {
          created_at: instant(user.created_at),
          followers: user.followers,
          following: user.following,
          is_followed: user.is_followed > 0,
        }
      : {}),
  };
}

export function isBot(user: Pick<User, 'kind'>): boolean {
  return user.kind === 'project_bot' || user.kind === 'service_account';
}

/** Returns `job_title at organization`, or whichever is set. */
export function workInformation({ job_title, organization }: Pick<User, 'job_title' | 'organization'>): string | null {
  if (job_title && organization) return `${job_title} at ${organization}`;
  return job_title || organization || null;
}

/** Returns the e-mail address of commits made through the server. */
export function commitEmail(
  user: Pick<User, 'id' | 'username' | 'email' | 'commit_email'>,
  externalUrl: string,
): string {
  return user.commit_email === privateEmail ? hiddenEmail(user, externalUrl) : (user.commit_email ?? user.email);
}

/** Returns the generated private address of a user, which no other user can have. */
export function hiddenEmail({ id, username }: Pick<User, 'id' | 'username'>, externalUrl: string): string {
  return `${id}-${username}@users.noreply.${new URL(externalUrl).hostname}`;
}

/** Serializes the view that users have of themselves. */
export function presentOwn(
  user: ProfileRow,
  identities: readonly IdentityRow[],
  actor: Actor,
  externalUrl: string,
): OwnUserEntity {
  return {
    ...presentProfile(user, actor, externalUrl),
    last_sign_in_at: instantOrNull(user.last_sign_in_at),
    confirmed_at: instantOrNull(user.confirmed_at),
    last_activity_on: dayOrNull(user.last_activity_at),
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: instantOrNull(user.current_sign_in_at),
    identities: identities.map(({ provider, extern_uid }) => ({ provider, extern_uid, saml_provider_id: null })),
    can_create_group: user.can_create_group === 1 && user.external === 0,
    can_create_project: user.projects_limit > 0 && user.external === 0,
    two_factor_enabled: user.two_factor_enabled === 1,
    external: user.external === 1,
    private_profile: user.private_profile === 1,
    commit_email: commitEmail(user, externalUrl),
    preferred_language: user.preferred_language,
    shared_runners_minutes_limit: user.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: user.extra_shared_runners_minutes_limit,
    scim_identities: [],
  };
}

/** Serializes the view for administrators and auditors. */
export function presentForAdmin(
  own: OwnUserEntity,
  user: ProfileRow,
  createdBy: BasicUserEntity | null,
): AdminUserEntity {
  return {
    ...own,
    is_admin: user.admin === 1,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: createdBy,
    using_license_seat: user.kind === 'human' && user.state === 'active',
    is_auditor: user.auditor === 1,
    provisioned_by_group_id: user.provisioned_by_group_id,
    enterprise_group_id: null,
    enterprise_group_associated_at: null,
    current_sign_in_ip: user.current_sign_in_ip,
    last_sign_in_ip: user.last_sign_in_ip,
    sign_in_count: user.sign_in_count,
    plan: null,
    trial: false,
  };
}

/** Returns the local time as `3:38 PM`; null if the time zone is unset or unknown. */
export function localTime(zone: string | null, now = new Date()): string | null {
  if (!zone) return null;
  try {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hour: 'numeric',
      minute: '2-digit',
      hour12: true,
    });
    return clock.format(now).replaceAll('\u202f', ' ');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
