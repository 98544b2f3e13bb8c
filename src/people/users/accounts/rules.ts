import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import { namespacePathProblems } from '../../../access/namespaces/path-rules.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { commonPasswords } from './common-passwords.ts';

/** Errors by attribute. */
export type Problems = Record<string, string[]>;

/** User attributes that are validated without database access. */
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

export function isEmail(text: string): boolean {
  const shape = /^[^\s\p{Cc}@,;:<>()[\]"\\]+@[^\s\p{Cc}@.,;:<>()[\]"\\]+(?:\.[^\s\p{Cc}@.,;:<>()[\]"\\]+)*$/u;
  return text.length <= 254 && shape.test(text);
}

/** Validates user attributes; absent ones are skipped. */
export function userProblems(user: UserFields): Problems {
  const problems: Problems = {};
  const add = (key: string, ...texts: (string | undefined)[]) => {
    const wrong = texts.filter((text) => text !== undefined);
    if (wrong.length > 0) problems[key] = [...(problems[key] ?? []), ...wrong];
  };
  if (user.email !== undefined) add('email', ...emailProblems(user.email));
  if (user.name !== undefined) add('name', nameProblem(user.name));
  if (user.username !== undefined) add('username', ...namespacePathProblems(user.username, true));
  add('bio', lengthProblem(user.bio ?? '', longest.bio));
  add('user_detail.pronouns', lengthProblem(user.pronouns ?? '', longest.pronouns));
  for (const key of ['location', 'organization', 'website_url', 'linkedin', 'twitter', 'discord', 'github'] as const) {
    add(`user_detail.${key}`, lengthProblem(user[key] ?? '', longest.detail));
  }
  if (user.discord && !/^\d{17,20}$/.test(user.discord)) {
    add('user_detail.discord', 'must contain only a discord user ID.');
  }
  if (user.website_url && !isWebsite(user.website_url)) add('user_detail.website_url', 'must be a valid URL');
  for (const key of ['provider', 'extern_uid'] as const) {
    add(`identities.${key}`, lengthProblem(user[key] ?? '', longest.identity));
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

function nameProblem(name: string): string | undefined {
  return name.trim() === '' ? "can't be blank" : lengthProblem(name, longest.name);
}

// Profile links must not execute scripts, so only web URLs are accepted.
function isWebsite(text: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === 'http' || scheme === 'https' || /^[^/:]+:\d+(\/|$)/.test(text);
}

function outside(value: number | undefined, maximum: number): boolean {
  return value !== undefined && (value < 1 || value > maximum);
}

/** Password complexity settings. */
export type PasswordRules = Pick<
  ApplicationSettings,
  | 'minimum_password_length'
  | 'password_number_required'
  | 'password_symbol_required'
  | 'password_uppercase_required'
  | 'password_lowercase_required'
>;

/** Character classes that can be required, with their error messages. */
const required = [
  ['password_number_required', /\p{Nd}/u, 'must contain at least one number'],
  ['password_lowercase_required', /\p{Ll}/u, 'must contain at least one lowercase letter'],
  ['password_uppercase_required', /\p{Lu}/u, 'must contain at least one uppercase letter'],
  ['password_symbol_required', /[^\p{L}\p{N}]/u, 'must contain at least one symbol'],
] as const;

/** Validates a password for a user. */
export function passwordProblems(
  password: string,
  user: { username: string; name: string; email: string },
  rules: Partial<PasswordRules> = {},
): string[] {
  const { minimum_password_length: least = 8 } = rules;
  if (password === '') return ["can't be blank"];
  const problems: string[] = [];
  if ([...password].length < least) problems.push(`is too short (minimum is ${least} characters)`);
  const long = lengthProblem(password, longest.password);
  if (long !== undefined) problems.push(long);
  for (const [rule, kind, missing] of required) if (rules[rule] && !kind.test(password)) problems.push(missing);
  const lower = password.toLowerCase();
  const own = [user.username, user.name, user.email].map((text) => text.toLowerCase());
  if (commonPasswords.has(lower) || own.includes(lower)) {
    problems.push('must not contain commonly used combinations of words and letters');
  }
  return problems;
}
