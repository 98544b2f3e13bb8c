import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

const topLevelWords = new Set(
  (
    '- .well-known 404.html 422.html 500.html 502.html 503.html admin api apple-touch-icon.png assets dashboard ' +
    'deploy.html explore favicon.ico favicon.png groups health_check help import jwt login o oauth profile projects ' +
    'public robots.txt s search sitemap sitemap.xml sitemap.xml.gz slash-command-logo.png snippets unsubscribes ' +
    'uploads users v2'
  ).split(' '),
);
// Words that follow a project's path in URLs: a project or subgroup with such a name would hide these pages.
const innerWords = new Set(
  (
    '- badges blame blob builds commits create create_dir dependency_proxy edit files find_file new preview raw refs ' +
    'tree update wikis'
  ).split(' '),
);

const charset = /^[A-Za-z0-9_.-]*$/;
const strict = /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;
const letters =
  /^[\p{L}\p{N}_\p{Extended_Pictographic}](?:[\p{L}\p{M}\p{N}\p{Pd}_.\s()\p{Extended_Pictographic}]|\u200d|\ufe0f)*$/u;
const projectLetters =
  /^[\p{L}\p{N}_\p{Extended_Pictographic}](?:[\p{L}\p{M}\p{N}\p{Pd}_.+\s\p{Extended_Pictographic}]|\u200d|\ufe0f)*$/u;

const strictText =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', " +
  "nor end with '-', '_', '.', '.git', or '.atom'.";

function ends(path: string, ...suffixes: string[]): boolean {
  return suffixes.some((suffix) => path.endsWith(suffix));
}

function followsStrictRule(path: string): boolean {
  return strict.test(path) && !ends(path, '.git', '.atom');
}

/** The problems of a group path or user name; `top` for top-level ones. */
export function namespacePathProblems(path: string, top: boolean): string[] {
  const problems: string[] = [];
  if (path === '') problems.push("can't be blank");
  if (path.length < 2) problems.push('is too short (minimum is 2 characters)');
  if (path.length > 255) problems.push('is too long (maximum is 255 characters)');
  if (!charset.test(path) || path.startsWith('-') || ends(path, '.', '.git', '.atom')) {
    problems.push(
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
    );
  }
  if (path !== '' && !followsStrictRule(path)) problems.push(strictText);
  if (isReserved(path, top)) problems.push(`${path} is a reserved name`);
  return problems;
}

/** The problems of a project path. */
export function projectPathProblems(path: string): string[] {
  const problems: string[] = [];
  if (path === '') problems.push("can't be blank");
  if (path.length > 255) problems.push('is too long (maximum is 255 characters)');
  if (!charset.test(path) || path.startsWith('-') || ends(path, '.git', '.atom')) {
    problems.push(
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
    );
  }
  if (path !== '' && !followsStrictRule(path)) problems.push(strictText);
  if (isReserved(path, false)) problems.push(`${path} is a reserved name`);
  return problems;
}

function isReserved(path: string, top: boolean): boolean {
  return (top ? topLevelWords : innerWords).has(path.toLowerCase());
}

/** The problems of a group name. */
export function groupNameProblems(name: string): string[] {
  return nameProblems(
    name,
    letters,
    "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. " +
      "It must start with letter, digit, emoji or '_'.",
  );
}

/** The problems of a project name. */
export function projectNameProblems(name: string): string[] {
  return nameProblems(
    name,
    projectLetters,
    "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. " +
      "It must start with a letter, digit, emoji, or '_'.",
  );
}

function nameProblems(name: string, allowed: RegExp, text: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  const long = lengthProblem(name, 255);
  return [...(long === undefined ? [] : [long]), ...(allowed.test(name) ? [] : [text])];
}
