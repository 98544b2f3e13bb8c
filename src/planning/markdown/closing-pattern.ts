import { trimTrailing } from '../../platform/trim.ts';
import { inlinesOf, plainTextOf } from './document.ts';
import { referenceInAddress } from './references/address.ts';

/** An issue that a text closes: in the same project if there is no path, or an issue of an external tracker. */
export type ClosedIssue = { readonly path?: string; readonly iid: number } | { readonly externalKey: string };

const MAX_CLOSED_ISSUES = 500;

const verbs =
  /(?<![\p{L}\p{N}_])(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +/gu;
const issueWord = /[Ii]ssues? +/y;
const separator = / *,(?: +and +| *)| +(?:and +)?/y;
const shortForm = /((?:\w[\w.-]{0,254}\/){0,20}\w[\w.-]{0,254})?#([1-9]\d{0,9})(?![\p{L}\p{N}_])/uy;
const addressForm = /https?:\/\/[^\s,<>"'`()]{1,2048}/y;
const externalForm = /([A-Z][A-Z0-9_]{1,50}-[1-9]\d{0,9})(?![\p{L}\p{N}_])/uy;

interface Read {
  readonly issue: ClosedIssue;
  readonly end: number;
}

function readIssue(text: string, at: number, instanceUrl: string): Read | undefined {
  const exec = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const short = exec(shortForm);
  if (short) {
    const iid = Number(short[2]);
    return { issue: short[1] === undefined ? { iid } : { path: short[1], iid }, end: at + short[0].length };
  }
  const found = exec(addressForm)?.[0];
  const address = found === undefined ? undefined : trimTrailing(found, '.:;!?');
  if (address !== undefined) {
    const named = referenceInAddress(address, instanceUrl)?.reference;
    return named?.type === 'issue'
      ? { issue: { path: named.path ?? '', iid: named.iid }, end: at + address.length }
      : undefined;
  }
  const external = exec(externalForm)?.[1];
  return external === undefined ? undefined : { issue: { externalKey: external }, end: at + external.length };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? at + found[0].length : at;
}

/** `Closes #1, #2 and group/project#3`: returns the issues that plain text closes. */
export function closedInPlainText(text: string, instanceUrl: string): ClosedIssue[] {
  const closed: ClosedIssue[] = [];
  verbs.lastIndex = 0;
  for (let verb = verbs.exec(text); verb !== null; verb = verbs.exec(text)) {
    let at = verb.index + verb[0].length;
    for (;;) {
      const read = readIssue(text, skip(issueWord, text, at), instanceUrl);
      if (read === undefined) break;
      closed.push(read.issue);
      if (closed.length === MAX_CLOSED_ISSUES) return closed;
      at = skip(separator, text, read.end);
    }
    verbs.lastIndex = at;
  }
  return closed;
}

/**
 * Returns the issues that a commit message or merge request description closes, without duplicates, in order. Quotes
 * and code are ignored.
 */
export function closedIssues(text: string, instanceUrl: string): ClosedIssue[] {
  if (!/clos|fix|resolv|implement/i.test(text)) return [];
  const all = inlinesOf(text, { quotes: false }).flatMap((inline) =>
    closedInPlainText(plainTextOf(inline), instanceUrl),
  );
  return [...new Map(all.map((issue) => [JSON.stringify(issue), issue])).values()].slice(0, MAX_CLOSED_ISSUES);
}
