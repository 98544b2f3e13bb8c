import { namespacePathProblems } from '../../access/path-rules.ts';
import { commonPasswords } from './common-passwords.ts';

/** Attribute -> what is wrong with it. */
export type Problems = Record<string, string[]>;

/** What of a user is checked without looking at others. */
export interface UserFields {
  readonly email?: string;
  readonly name?: string;
  readonly username?: string;
  readonly bio?: string;
  readonly location?: string;
  readonly pronouns?: string;
  readonly organization?: string;
  readonly website_url?: string;
  readonly linkedin?: string;
  readonly twitter?: string;
  readonly discord?: string;
  readonly github?: string;
  readonly projects_limit?: number;
  readonly theme_id?: number;
  readonly color_scheme_id?: number;
  readonly provider?: string;
  readonly extern_uid?: string;
}

const longest = { bio: 255, name: 255, pronouns: 50, detail: 500, password: 128, identity: 255 };
const themes = 11;
const colorSchemes = 6;

const tooLong = (most: number) => `is too long (maximum is ${most} characters)`;
const over = (text: string | undefined, most: number) => text !== undefined && [...text].length > most;

export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;:<>()[\]"\\]+@[^\s@.,;:<>()[\]"\\]+(?:\.[^\s@.,;:<>()[\]"\\]+)*$/.test(text);
}

/** What is wrong with these values; absent ones are fine. */
export function userProblems(user: UserFields): Problems {
  const problems: Problems = {};
  const add = (key: string, ...texts: string[]) => {
    if (texts.length > 0) problems[key] = [...(problems[key] ?? []), ...texts];
  };
  if (user.email !== undefined) add('email', ...emailProblems(user.email));
  if (user.name !== undefined) add('name', ...nameProblems(user.name));
  if (user.username !== undefined) add('username', ...namespacePathProblems(user.username, true));
  if (over(user.bio, longest.bio)) add('bio', tooLong(longest.bio));
  if (over(user.pronouns, longest.pronouns)) add('user_detail.pronouns', tooLong(longest.pronouns));
  for (const key of ['location', 'organization', 'website_url', 'linkedin', 'twitter', 'discord', 'github'] as const) {
    if (over(user[key], longest.detail)) add(`user_detail.${key}`, tooLong(longest.detail));
  }
  if (user.discord && !/^\d{17,20}$/.test(user.discord))
    add('user_detail.discord', 'must contain only a discord user ID.');
  if (user.website_url && !isWebsite(user.website_url)) add('user_detail.website_url', 'must be a valid URL');
  for (const key of ['provider', 'extern_uid'] as const) {
    if (over(user[key], longest.identity)) add(`identities.${key}`, tooLong(longest.identity));
  }
  if (user.projects_limit !== undefined && user.projects_limit < 0) {
    add('projects_limit', 'must be greater than or equal to 0');
  }
  if (outside(user.theme_id, themes)) add('theme_id', 'is not included in the list');
  if (outside(user.color_scheme_id, colorSchemes)) add('color_scheme_id', 'is not included in the list');
  return problems;
}

export function emailProblems(email: string): string[] {
  if (email.trim() === '') return ["can't be blank"];
  return isEmail(email) ? [] : ['is invalid'];
}

function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return over(name, longest.name) ? [tooLong(longest.name)] : [];
}

// A link that the browser runs instead of following has no place on a profile.
function isWebsite(text: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === 'http' || scheme === 'https' || /^[^/:]+:\d+(\/|$)/.test(text);
}

function outside(value: number | undefined, most: number): boolean {
  return value !== undefined && (value < 1 || value > most);
}

/** What is wrong with a password for this user. */
export function passwordProblems(password: string, user: { username: string; name: string; email: string }): string[] {
  if (password === '') return ["can't be blank"];
  const problems: string[] = [];
  if ([...password].length < 8) problems.push('is too short (minimum is 8 characters)');
  if (over(password, longest.password)) problems.push(tooLong(longest.password));
  const lower = password.toLowerCase();
  const own = [user.username, user.name, user.email].map((text) => text.toLowerCase());
  if (commonPasswords.has(lower) || own.includes(lower)) {
    problems.push('must not contain commonly used combinations of words and letters');
  }
  return problems;
}
