import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { PushRuleRow } from '../../protected-refs/public.ts';

/** Names of files that hold secrets by convention, as expressions that are looked for in a path. */
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

/** What a rule over commits needs to know of the one who pushes. */
export interface PushingUser {
  readonly name: string | null;
  /** Confirmed addresses, in lower case. */
  readonly emails: ReadonlySet<string>;
}

export interface CommitFacts {
  readonly rule: PushRuleRow;
  readonly pusher: PushingUser;
  /** Which of the addresses asked about belong to somebody here, in lower case; asked when `member_check` is on. */
  readonly known: ReadonlySet<string>;
  /** Commits of the API need carry no signature, and are let through. */
  readonly byApi: boolean;
}

/** Compiled expressions of push rules, by their text alone. */
const compiled = new LRUCache<string, RE2JS>({ max: 1000 });

/** A stored expression, which was checked when it was stored. */
export function expression(text: string): RE2JS {
  let regex = compiled.get(text);
  if (!regex) {
    regex = RE2JS.compile(text);
    compiled.set(text, regex);
  }
  return regex;
}

const finds = (pattern: string, text: string) => expression(pattern).matcher(text).find();

/** Why a push rule refuses a commit; undefined when it does not. */
export function commitProblem(commit: Commit, facts: CommitFacts): string | undefined {
  const { rule } = facts;
  const { commit_message_regex: wanted, commit_message_negative_regex: unwanted } = rule;
  if (commit.isCut && (wanted || unwanted || rule.reject_non_dco_commits === 1)) {
    return 'Commit message is too long to be checked';
  }
  if (wanted && !finds(wanted, commit.message)) return `Commit message does not follow the pattern '${wanted}'`;
  if (unwanted && finds(unwanted, commit.message)) return `Commit message contains the forbidden pattern '${unwanted}'`;
  if (rule.reject_non_dco_commits === 1 && !/^Signed-off-by: .+ <[^\s<>@]+@[^\s<>@]+>[ \t\r]*$/m.test(commit.message)) {
    return 'Commit message must contain a DCO signoff';
  }
  if (rule.reject_unsigned_commits === 1 && !facts.byApi && commit.signature === undefined) {
    return 'Commit must be signed with a GPG key';
  }
  return addressProblem(commit, facts) ?? committerProblem(commit, facts);
}

function addressProblem(commit: Commit, { rule, known }: CommitFacts): string | undefined {
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

function committerProblem(commit: Commit, { rule, pusher }: CommitFacts): string | undefined {
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

/** Does a rule look at commits at all? */
export function rulesCommits(rule: PushRuleRow): boolean {
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

/** Does a rule look at files? */
export function rulesFiles(rule: PushRuleRow): boolean {
  return Boolean(rule.file_name_regex) || rule.prevent_secrets === 1 || rule.max_file_size > 0;
}

/** Why a push rule refuses the name of a new file. */
export function fileNameProblem(rule: PushRuleRow, path: string): string | undefined {
  const patterns = [
    ...(rule.file_name_regex ? [rule.file_name_regex] : []),
    ...(rule.prevent_secrets === 1 ? secretNames : []),
  ];
  const hit = patterns.find((pattern) => finds(pattern, path));
  return hit === undefined ? undefined : `File name ${path} was prohibited by the pattern ${JSON.stringify(hit)}.`;
}

/** Why a push rule refuses a file of this size. */
export function fileSizeProblem(rule: PushRuleRow, path: string, bytes: number): string | undefined {
  if (rule.max_file_size === 0 || bytes <= rule.max_file_size * 1024 * 1024) return undefined;
  return (
    `File ${JSON.stringify(path)} is larger than the allowed size of ${rule.max_file_size} MiB. ` +
    'Use Git LFS to manage this file.'
  );
}
