import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { PushRuleRow } from '../../protected-refs/public.ts';

/** Patterns of file names that contain secrets by convention. */
const secretNames: readonly string[] = [
  'aws\\/credentials$',
  '(^|\\/)(ssh|config|ssh_|)\\/?(personal|server)_(rsa|dsa|ed\\d+|ecdsa)$',
  '(^|\\/)(ssh|ssh_)?host_(rsa|dsa|ed\\d+|ecdsa)_key$',
  '(^|\\/)id_(rsa|dsa|ecdsa|ed25519)$',
  '\\.(pem|key|p12|pfx|asc|keychain|kdb|kdbx|agilekeychain|keystore|jks)$',
  '(^|\\/)\\.?(bash|zsh|mysql|psql|pgsql|irb)_?history$',
  '(^|\\/)\\.(pgpass|netrc|htpasswd|s3cfg|dockercfg|npmrc_auth)$',
  '(^|\\/)secret_token\\.rb$',
  '(^|\\/)(otr\\.private_key|credentials\\.xml|jenkins\\.plugins\\.publish_over_ssh\\.BapSshPublisherPlugin\\.xml)$',
];

/** The pusher's attributes used by commit rules. */
export interface PushingUser {
  readonly name: string | null;
  /** Confirmed e-mail addresses in lower case. */
  readonly emails: ReadonlySet<string>;
}

export interface CommitContext {
  readonly rule: PushRuleRow;
  readonly pusher: PushingUser;
  /** Addresses of the push that belong to a user, in lower case. Only filled if `member_check` is enabled. */
  readonly known: ReadonlySet<string>;
  /** Commits created through the API are exempt from the signature requirement. */
  readonly byApi: boolean;
}

/** Cache of compiled push rule expressions. */
const compiled = new LRUCache<string, RE2JS>({ max: 1000 });

/** Compiles a stored expression, which was validated when it was saved. */
export function compileRegex(text: string): RE2JS {
  let regex = compiled.get(text);
  if (!regex) {
    regex = RE2JS.compile(text);
    compiled.set(text, regex);
  }
  return regex;
}

const finds = (pattern: string, text: string) => compileRegex(pattern).matcher(text).find();

/** Returns why a push rule rejects a commit; undefined if it does not. */
export function commitProblem(commit: Commit, context: CommitContext): string | undefined {
  const { rule } = context;
  const { commit_message_regex: requiredPattern, commit_message_negative_regex: forbiddenPattern } = rule;
  if (commit.isCut && (requiredPattern || forbiddenPattern || rule.reject_non_dco_commits === 1)) {
    return 'Commit message is too long to be checked';
  }
  if (requiredPattern && !finds(requiredPattern, commit.message))
    return `Commit message does not follow the pattern '${requiredPattern}'`;
  if (forbiddenPattern && finds(forbiddenPattern, commit.message))
    return `Commit message contains the forbidden pattern '${forbiddenPattern}'`;
  if (rule.reject_non_dco_commits === 1 && !/^Signed-off-by: .+ <[^\s<>@]+@[^\s<>@]+>[ \t\r]*$/m.test(commit.message)) {
    return 'Commit message must contain a DCO signoff';
  }
  if (rule.reject_unsigned_commits === 1 && !context.byApi && commit.signature === undefined) {
    return 'Commit must be signed with a GPG key';
  }
  return addressProblem(commit, context) ?? committerProblem(commit, context);
}

function addressProblem(commit: Commit, { rule, known }: CommitContext): string | undefined {
  const pattern = rule.author_email_regex;
  for (const [who, { email }] of [
    ['Committer', commit.committer],
    ['Author', commit.author],
  ] as const) {
    if (pattern && !finds(pattern, email)) {
      return `${who}'s commit email '${email}' does not follow the pattern '${pattern}'`;
    }
  }
  if (rule.member_check !== 1) return undefined;
  for (const [who, { email }] of [
    ['Author', commit.author],
    ['Committer', commit.committer],
  ] as const) {
    if (!known.has(email.toLowerCase())) return `${who} '${email}' is not a member of team`;
  }
  return undefined;
}

function committerProblem(commit: Commit, { rule, pusher }: CommitContext): string | undefined {
  const { email, name } = commit.committer;
  if (rule.commit_committer_check === 1 && !pusher.emails.has(email.toLowerCase())) {
    return (
      `You cannot push commits for '${email}'. ` +
      'You can only push commits if the committer email is one of your own verified emails.'
    );
  }
  if (rule.commit_committer_name_check === 1 && name !== pusher.name) {
    return `Your git username '${name}' is inconsistent with your account name '${pusher.name ?? ''}'.`;
  }
  return undefined;
}

/** Whether a rule checks commits at all. */
export function checksCommits(rule: PushRuleRow): boolean {
  const texts = [rule.commit_message_regex, rule.commit_message_negative_regex, rule.author_email_regex];
  const flags = [
    rule.reject_non_dco_commits,
    rule.reject_unsigned_commits,
    rule.member_check,
    rule.commit_committer_check,
    rule.commit_committer_name_check,
  ];
  return texts.some(Boolean) || flags.includes(1);
}

/** Whether a rule checks files. */
export function checksFiles(rule: PushRuleRow): boolean {
  return Boolean(rule.file_name_regex) || rule.prevent_secrets === 1 || rule.max_file_size > 0;
}

/** Returns why a push rule rejects the name of a new file. */
export function fileNameProblem(rule: PushRuleRow, path: string): string | undefined {
  const patterns = [
    ...(rule.file_name_regex ? [rule.file_name_regex] : []),
    ...(rule.prevent_secrets === 1 ? secretNames : []),
  ];
  const hit = patterns.find((pattern) => finds(pattern, path));
  return hit === undefined ? undefined : `File name ${path} was prohibited by the pattern ${JSON.stringify(hit)}.`;
}

/** Returns why a push rule rejects the size of a file. */
export function fileSizeProblem(rule: PushRuleRow, path: string, bytes: number): string | undefined {
  if (rule.max_file_size === 0 || bytes <= rule.max_file_size * 1024 * 1024) return undefined;
  return (
    `File ${JSON.stringify(path)} is larger than the allowed size of ${rule.max_file_size} MiB. ` +
    'Use Git LFS to manage this file.'
  );
}
