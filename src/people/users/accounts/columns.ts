import { readPreferences } from '../preferences/schema.ts';
import type { UserColumns } from './store.ts';

/** Attributes that an administrator can set, besides name, e-mail address, username and password. */
export interface Settable {
  readonly linkedin?: string;
  readonly twitter?: string;
  readonly discord?: string;
  readonly github?: string;
  readonly social_a?: string;
  readonly social_b?: string;
  readonly social_c?: string;
  readonly social_d?: string;
  readonly website_url?: string;
  readonly organization?: string;
  readonly job_title?: string;
  readonly bio?: string;
  readonly location?: string;
  readonly pronouns?: string;
  readonly note?: string;
  readonly public_email?: string;
  readonly commit_email?: string;
  readonly admin?: boolean;
  readonly auditor?: boolean;
  readonly external?: boolean;
  readonly can_create_group?: boolean;
  readonly private_profile?: boolean;
  readonly projects_limit?: number;
  readonly theme_id?: number;
  readonly color_scheme_id?: number;
  readonly shared_runners_minutes_limit?: number | null;
  readonly extra_shared_runners_minutes_limit?: number | null;
  readonly group_id_for_saml?: number;
  readonly view_diffs_file_by_file?: boolean;
  readonly policy_advanced_editor?: boolean;
  readonly provider?: string;
  readonly extern_uid?: string;
}

/** Maps the four profile fields to their stored names, whichever alias was sent. */
export function profileLinks(input: Settable): Pick<Settable, 'linkedin' | 'twitter' | 'discord' | 'github'> {
  const links = {
    linkedin: input.linkedin ?? input.social_a,
    twitter: input.twitter ?? input.social_b,
    discord: input.discord ?? input.social_c,
    github: input.github ?? input.social_d,
  };
  return sent(links) as Pick<Settable, 'linkedin' | 'twitter' | 'discord' | 'github'>;
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 1 : 0);
const orNull = (value: string | undefined) => (value === '' ? null : value);

/** Returns the columns to update; `preferences` is the stored value. */
export function columnsOf(input: Settable, preferences = '{}'): UserColumns {
  const { view_diffs_file_by_file, policy_advanced_editor } = input;
  const preferred = sent({ view_diffs_file_by_file, policy_advanced_editor });
  return sent({
    ...profileLinks(input),
    website_url: input.website_url,
    organization: input.organization,
    job_title: orNull(input.job_title),
    bio: input.bio,
    location: input.location,
    pronouns: orNull(input.pronouns),
    note: orNull(input.note),
    public_email: orNull(input.public_email),
    commit_email: orNull(input.commit_email),
    admin: flag(input.admin),
    auditor: flag(input.auditor),
    external: flag(input.external),
    can_create_group: flag(input.can_create_group),
    private_profile: flag(input.private_profile),
    projects_limit: input.projects_limit,
    theme_id: input.theme_id,
    color_scheme_id: input.color_scheme_id,
    shared_runners_minutes_limit: input.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: input.extra_shared_runners_minutes_limit,
    provisioned_by_group_id: input.group_id_for_saml,
    preferences:
      Object.keys(preferred).length > 0 ? JSON.stringify({ ...readPreferences(preferences), ...preferred }) : undefined,
  });
}

/** Drops undefined values, which would overwrite defaults. */
function sent<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
