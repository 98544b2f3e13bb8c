/** What a placeholder of a badge can stand for, as far as it is known. */
export interface BadgeFacts {
  readonly project_path: string;
  readonly project_title: string;
  readonly project_name: string;
  readonly project_id: string;
  readonly project_namespace: string;
  readonly group_name: string;
  readonly gitlab_server: string;
  readonly default_branch: string;
  readonly commit_sha: string;
}

const placeholder = /%\{([a-z_]{1,40})\}/g;

/** An address with its placeholders filled in; what is not known stays as it is written. */
export function filledIn(address: string, facts: Partial<BadgeFacts>): string {
  const known = new Map(Object.entries(facts));
  return address.replace(placeholder, (written, name: string) => known.get(name) ?? written);
}

const longest = 2048;

/** What is wrong with the address of a badge, if anything: placeholders may stand anywhere in it. */
export function addressProblem(address: string): string | undefined {
  if (address.trim() === '') return "can't be blank";
  if (address.length > longest) return `is too long (maximum is ${longest} characters)`;
  const filled = address.replace(placeholder, 'x');
  if (/[\p{Cc}\s]/u.test(filled) || !URL.canParse(filled)) return 'is blocked: URI is invalid';
  return /^https?:$/.test(new URL(filled).protocol) ? undefined : 'is blocked: Only allowed schemes are http, https';
}
